import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../row-table.js'
import { addTo, removeFrom } from '../sets-by-key.js'
import type { KvRow } from './kv-row.js'
import { MILLISECOND } from '../../events/duration.js'
import { derivedState } from '../saved-form.js'

/** By session in lower case: holders may spell it in any letter case. */
type BySession = Map<string, Set<KvRow>>

/** A change costs O(1), `of` and `all` the locked entries of the session or tenancy. */
export class LockedKeys {
  readonly #bySpace = new Map<string, BySession>()

  replace(before: KvRow | undefined, row: KvRow | undefined): void {
    if (before && before.session !== '') this.#drop(before)
    if (row && row.session !== '') this.#add(row)
  }

  of(tenancy: Tenancy, session: string): Iterable<KvRow> {
    return this.#bySpace.get(spaceOf(tenancy))?.get(session.toLowerCase()) ?? []
  }

  *all(tenancy: Tenancy): Iterable<KvRow> {
    for (const rows of this.#bySpace.get(spaceOf(tenancy))?.values() ?? []) yield* rows
  }

  clear(): void {
    this.#bySpace.clear()
  }

  #add(row: KvRow): void {
    const space = spaceOf(row.tenancy)
    const bySession: BySession = this.#bySpace.get(space) ?? new Map()
    this.#bySpace.set(space, bySession)
    addTo(bySession, row.session.toLowerCase(), row)
  }

  #drop(row: KvRow): void {
    const space = spaceOf(row.tenancy)
    const bySession = this.#bySpace.get(space)
    if (!bySession) return
    removeFrom(bySession, row.session.toLowerCase(), row)
    if (bySession.size === 0) this.#bySpace.delete(space)
  }
}

/** Limit of a lock-delay. */
const MAX_DELAY_MS = 60_000

/** Times come from the commits, so that a replay computes the same delays. O(1), amortised. */
export class LockDelays {
  /** In the order of their beginnings. */
  readonly #until = new Map<string, number>()
  readonly memory = derivedState<readonly [key: string, until: number]>({
    clear: () => {},
    save: () => this.#until,
    load: ([key, until]) => this.#until.set(key, until)
  })

  /**
   * @param endedAt end of the session, epoch milliseconds
   * @param delayNs lock-delay of the session, nanoseconds
   */
  begin(key: string, endedAt: number, delayNs: number): void {
    if (delayNs <= 0) return
    this.#until.delete(key)
    this.#until.set(key, endedAt + Math.min(delayNs / MILLISECOND, MAX_DELAY_MS))
    // An unexpired delay postpones the sweep of later ones, at most by the limit of a delay.
    for (const [old, until] of this.#until) {
      if (until > endedAt) return
      this.#until.delete(old)
    }
  }

  /**
   * Decides if the delay of a key lasts at a time, in epoch milliseconds. A delay beyond the limit is from before the clock
   * was set back and is ignored, so that no lock stays blocked until then.
   */
  has(key: string, at: number): boolean {
    const left = (this.#until.get(key) ?? at) - at
    return left > 0 && left <= MAX_DELAY_MS
  }

  /** Deletes the delays of a deleted namespace. Cost: all delays. */
  deletePrefix(prefix: string): void {
    for (const key of this.#until.keys()) if (key.startsWith(prefix)) this.#until.delete(key)
  }

  clear(): void {
    this.#until.clear()
  }
}
