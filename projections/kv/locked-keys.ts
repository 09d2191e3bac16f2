// Which entries each session holds.
import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../row-table.js'
import type { KvRow } from './kv-row.js'

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
