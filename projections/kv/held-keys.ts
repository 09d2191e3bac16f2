// Which entries each session holds.
import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../row-table.js'
import type { KvRow } from './kv-row.js'

/** Sessions are held by whoever spells them, but found in any letter case. */
const sessionKey = (tenancy: Tenancy, session: string): string =>
  `${spaceOf(tenancy)}/${session.toLowerCase()}`

/** `put` and `drop` cost O(1), `of` the entries held. */
export class HeldKeys {
  readonly #bySession = new Map<string, Set<KvRow>>()

  replace(before: KvRow | undefined, row: KvRow | undefined): void {
    if (before && before.session !== '') this.#drop(before)
    if (row && row.session !== '') this.#add(row)
  }

  of(tenancy: Tenancy, session: string): Iterable<KvRow> {
    return this.#bySession.get(sessionKey(tenancy, session)) ?? []
  }

  /** What all sessions of a tenancy hold. Cost: the sessions of all tenancies that hold something, and those entries. */
  *all(tenancy: Tenancy): Iterable<KvRow> {
    const space = sessionKey(tenancy, '')
    for (const [session, rows] of this.#bySession) if (session.startsWith(space)) yield* rows
  }

  clear(): void {
    this.#bySession.clear()
  }

  #add(row: KvRow): void {
    const key = sessionKey(row.tenancy, row.session)
    const rows = this.#bySession.get(key)
    if (rows) rows.add(row)
    else this.#bySession.set(key, new Set([row]))
  }

  #drop(row: KvRow): void {
    const key = sessionKey(row.tenancy, row.session)
    const rows = this.#bySession.get(key)
    rows?.delete(row)
    if (rows?.size === 0) this.#bySession.delete(key)
  }
}
