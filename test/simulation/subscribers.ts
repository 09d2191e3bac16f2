// Subscribers of the event stream, which resume after each disconnect. What they received is checked against the log that is left.
import type { Client } from './client.js'
import { HistoryError } from './history.js'
import type { Scene } from './requests.js'

/** In ms: how long a subscriber stays connected. */
const MOST_CONNECTED = 4000
const RETRY = 50

/** An event as the stream and the log show it. */
export interface ShownEvent {
  readonly Index: number
  readonly Type: string
  readonly Key: string
  readonly Payload: object
}

/** A client that follows the changes of keys. */
export interface Follower {
  readonly client: Client
  /** @throws HistoryError */
  run(isOver: () => boolean): Promise<void>
  /** True if it has received all events of a log that it must receive. */
  isComplete(events: readonly ShownEvent[]): boolean
  /** @throws HistoryError if it saw what a log does not allow */
  check(events: readonly ShownEvent[]): void
}

export const lineOf = ({ Index, Type, Key, Payload }: ShownEvent): string =>
  `${Index} ${Type} ${Key} ${JSON.stringify(Payload)}`

export class Subscriber implements Follower {
  readonly #lines: string[] = []
  /** What was pruned before it was received. */
  readonly #gaps: { readonly after: number; readonly before: number }[] = []
  #last = 0

  constructor(
    private readonly scene: Pick<Scene, 'world' | 'machines'>,
    readonly client: Client
  ) {}

  /** Follows the changes of keys until `isOver`. */
  async run(isOver: () => boolean): Promise<void> {
    const { world, machines } = this.scene
    while (!isOver()) {
      const machine = machines[world.random.below(machines.length)]
      const path = `/v1/event/stream?topic=KV&index=${this.#last + 1}`
      const ms = world.random.next() * MOST_CONNECTED
      const begin = (before: number): void => void this.#gaps.push({ after: this.#last, before })
      if (machine) await this.client.follow(machine.port, path, ms, line => this.#receive(line), begin)
      world.note(`${this.client.process.name} left ${machine?.process.name} after ${this.#last}`)
      await world.pause(RETRY)
    }
  }

  isComplete(events: readonly ShownEvent[]): boolean {
    return this.#last >= (events.at(-1)?.Index ?? 0)
  }

  /** @throws HistoryError if an event is missing, repeated, changed or at another place */
  check(events: readonly ShownEvent[]): void {
    const { name } = this.client.process
    const isPruned = (index: number): boolean =>
      this.#gaps.some(({ after, before }) => index > after && index < before)
    const log = events.filter(({ Index }) => !isPruned(Index)).map(lineOf)
    for (const [at, line] of this.#lines.entries())
      if (line !== log[at])
        throw new HistoryError(`${name} received ${line} where the log has ${log[at] ?? 'nothing'}`)
    if (this.#lines.length < log.length)
      throw new HistoryError(`${name} has not received ${log[this.#lines.length]}`)
  }

  #receive(line: string): void {
    const message: { Index?: number; Events?: readonly ShownEvent[] } = JSON.parse(line)
    if (message.Index === undefined) return
    this.#last = message.Index
    this.#lines.push(...(message.Events ?? []).map(lineOf))
  }
}
