import type { Tenancy } from '../../events/envelope.js'
import { addTo, getOrCreate, removeFrom } from '../maps.js'
import { spaceOf } from '../row-table.js'
import type { KvRow } from './kv-row.js'

/** By session in lower case: holders may spell it in any letter case. */
type BySession = Map<string, Set<KvRow>>

/** A change costs O(1), `of` and `all` the locked entries of the session or tenancy. */
export class LockedKeys {
  readonly #bySpace = new Map<string, BySession>()
  #size = 0

  get size(): number {
    return this.#size
  }

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

  /** Cost: the locked entries of the space. */
  removeUnder(space: string, prefix: string): void {
    for (const rows of this.#bySpace.get(space)?.values() ?? [])
      for (const row of rows) if (row.key.startsWith(prefix)) this.#drop(row)
  }

  clear(): void {
    this.#bySpace.clear()
    this.#size = 0
  }

  #add(row: KvRow): void {
    const bySession = getOrCreate(this.#bySpace, spaceOf(row.tenancy), () => new Map())
    addTo(bySession, row.session.toLowerCase(), row)
    this.#size++
  }

  #drop(row: KvRow): void {
    const space = spaceOf(row.tenancy)
    const bySession = this.#bySpace.get(space)
    if (!bySession) return
    removeFrom(bySession, row.session.toLowerCase(), row)
    this.#size--
    if (bySession.size === 0) this.#bySpace.delete(space)
  }
}
