// Which entries each session holds.
import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../row-table.js'
import type { KvRow } from './kv-row.js'
import { MILLISECOND } from '../../events/duration.js'
import { derivedState } from '../saved-form.js'

/** By session in small letters: sessions are held by whoever spells them, but found in any letter case. */
type BySession = Map<string, Set<KvRow>>

/** `put` and `drop` cost O(1), `of` and `all` the entries held by the session, or in the tenancy. */
export class LockedKeys {
  readonly #bySpace = new Map<string, BySession>()

  replace(before: KvRow | undefined, row: KvRow | undefined): void {
    if (before && before.session !== '') this.#drop(before)
    if (row && row.session !== '') this.#add(row)
  }

  of(tenancy: Tenancy, session: string): Iterable<KvRow> {
    return this.#bySpace.get(spaceOf(tenancy))?.get(session.toLowerCase()) ?? []
  }

  /** What all sessions of a tenancy hold. */
  *all(tenancy: Tenancy): Iterable<KvRow> {
    for (const rows of this.#bySpace.get(spaceOf(tenancy))?.values() ?? []) yield* rows
  }

  clear(): void {
    this.#bySpace.clear()
  }

  #add(row: KvRow): void {
    const space = spaceOf(row.tenancy)
    const session = row.session.toLowerCase()
    const bySession: BySession = this.#bySpace.get(space) ?? new Map()
    this.#bySpace.set(space, bySession)
    const rows = bySession.get(session)
    if (rows) rows.add(row)
    else bySession.set(session, new Set([row]))
  }

  #drop(row: KvRow): void {
    const space = spaceOf(row.tenancy)
    const session = row.session.toLowerCase()
    const bySession = this.#bySpace.get(space)
    const rows = bySession?.get(session)
    rows?.delete(row)
    if (rows?.size === 0) bySession?.delete(session)
    if (bySession?.size === 0) this.#bySpace.delete(space)
  }
}

/** The most of a lock-delay that counts. */
const LONGEST_MS = 60_000

/** Times come from the commits, so that a replay knows the same delays. O(1), amortised. */
export class LockDelays {
  /** In the order in which they began. */
  readonly #until = new Map<string, number>()
  readonly memory = derivedState<readonly [key: string, until: number]>({
    clear: () => {},
    save: () => this.#until,
    load: ([key, until]) => this.#until.set(key, until)
  })

  /**
   * @param endedAt when the session ended, epoch milliseconds
   * @param delayNs lock-delay of the session, nanoseconds
   */
  begin(key: string, endedAt: number, delayNs: number): void {
    if (delayNs <= 0) return
    this.#until.delete(key)
    this.#until.set(key, endedAt + Math.min(delayNs / MILLISECOND, LONGEST_MS))
    // One that lasts holds up the sweeping of those behind it for as long as a delay may be.
    for (const [old, until] of this.#until) {
      if (until > endedAt) return
      this.#until.delete(old)
    }
  }

  /**
   * Whether the delay of a key lasts at a time, in epoch milliseconds. One that would last longer than any
   * can is of a time before the clock was set back: it counts no longer, so that no lock stays shut until
   * that time comes again.
   */
  has(key: string, at: number): boolean {
    const left = (this.#until.get(key) ?? at) - at
    return left > 0 && left <= LONGEST_MS
  }

  /** Forgets the keys that begin so: what they were in is gone. Cost: all keys known. */
  forget(prefix: string): void {
    for (const key of this.#until.keys()) if (key.startsWith(prefix)) this.#until.delete(key)
  }

  clear(): void {
    this.#until.clear()
  }
}
