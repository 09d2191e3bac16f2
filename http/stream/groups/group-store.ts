import { serverCommand } from '../../../actors/aggregate.js'
import { cursorRef } from '../../../actors/cursor.js'
import type { GroupUnits } from '../../../actors/processes/group-units.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Cursor } from '../../../events/cursor.js'
import type { GroupDependencies } from './group-dependencies.js'

/** Time between two stored states. A change after a longer pause is stored at once. */
const STORE_MS = 1000

export const groupNotStored = (): Refusal =>
  new Refusal(
    'cursor.unavailable',
    'The log cannot be written now: the state of the group was not stored; try again later'
  )

interface StoreObserver {
  /** Called after each change, before it is stored. */
  readonly onChange: () => void
  /** Called when the state was not stored. */
  readonly onFailure: () => void
}

/** Stores the state of a consumer group, at most once a second. */
export class GroupStore {
  /** Resolved when the next state is stored. */
  #waiting: ((outcome: Refusal | undefined) => void)[] = []
  #position: number
  /** By `Clock.elapsed`. */
  #storedAt = -Infinity

  constructor(
    private readonly services: GroupDependencies,
    private readonly cursor: Cursor,
    private readonly units: GroupUnits,
    private readonly observer: StoreObserver
  ) {
    this.#position = cursor.Index
  }

  /** The position of the newest stored state. */
  get position(): number {
    return this.#position
  }

  /** Resolves when the present state is on disk. @throws Refusal */
  async changed(): Promise<void> {
    const refusal = await new Promise<Refusal | undefined>(resolve => {
      if (this.#waiting.push(resolve) === 1)
        this.services.timers.setTimeout(() => void this.store(), this.#dueIn)
      this.observer.onChange()
    })
    if (refusal) throw refusal
  }

  /** Refuses the changes that are not stored yet. */
  abandon(refusal: Refusal): void {
    for (const resolve of this.#waiting.splice(0)) resolve(refusal)
  }

  /** The time until a state may be stored, in ms. */
  get #dueIn(): number {
    return Math.max(0, this.#storedAt + STORE_MS - this.services.clock.elapsed())
  }

  /** Stores the state now, if it has changed. */
  async store(): Promise<void> {
    const waiting = this.#waiting.splice(0)
    if (waiting.length === 0) return
    const { system, clock } = this.services
    const { position: index } = this.units
    const units = this.units.state()
    this.#storedAt = clock.elapsed()
    this.#position = index
    let refusal: Refusal | undefined
    try {
      const data = { name: this.cursor.Name, index, units }
      await system.ask(cursorRef(this.cursor.Name), serverCommand('StoreGroup', data, clock.now()))
    } catch (error) {
      refusal = error instanceof Refusal ? error : groupNotStored()
      this.observer.onFailure()
    }
    for (const resolve of waiting) resolve(refusal)
  }
}
