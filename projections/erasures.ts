import type { Commit, Event } from '../events/envelope.js'
import { ERASURE_TOPIC, isErasureEvent, type Erasure, type HistoryErased } from '../events/erasure.js'
import { type Projection, fact, type Fact } from './projection.js'
import type { Watch } from './watch.js'

export interface OrderedErasure {
  /** The index of its commit, followed by its number if the commit has several. */
  readonly key: string
  readonly index: number
  readonly erasure: Erasure
}

/** All orders, oldest first. A change costs O(1). Watch key: `erasures`. */
export class Erasures implements Projection {
  readonly topics = [ERASURE_TOPIC]
  readonly memory = {}
  #orders: OrderedErasure[] = []
  #keys = new Set<string>()

  constructor(private readonly watch: Watch) {}

  get list(): readonly OrderedErasure[] {
    return this.#orders
  }

  /** Index of the newest order; 0 for none. */
  get index(): number {
    return this.#orders.at(-1)?.index ?? 0
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  apply(event: Event, { Index }: Commit): void {
    if (!isErasureEvent(event)) return
    this.#keys.add(event.Key)
    this.#orders.push({ key: event.Key, index: Index, erasure: event.Payload.Erasure })
    this.watch.touch('erasures')
  }

  *facts(): Iterable<Fact> {
    for (const { key, index, erasure } of this.#orders)
      yield fact<HistoryErased>({
        Topic: ERASURE_TOPIC,
        Type: 'HistoryErased',
        Key: key,
        Index: index,
        Payload: { Erasure: erasure }
      })
  }

  reset(): void {
    this.#orders = []
    this.#keys.clear()
  }
}
