import type { Tenancy } from '../../events/envelope.js'
import { getOrCreate } from '../maps.js'
import { byText, spaceOf } from '../row-table.js'
import type { KvRow } from './kv-row.js'

/** The entries that a session holds. */
class HeldEntries {
  readonly rows = new Set<KvRow>()
  #inOrder: readonly KvRow[] | undefined

  /** In the order of their keys, sorted once after a change: the end of a session reads them when it is decided, and when it is applied. */
  get inOrder(): readonly KvRow[] {
    return (this.#inOrder ??= [...this.rows].toSorted((a, b) => byText(a.key, b.key)))
  }

  add(row: KvRow): void {
    this.rows.add(row)
    this.#inOrder = undefined
  }

  delete(row: KvRow): void {
    this.rows.delete(row)
    this.#inOrder = undefined
  }
}

/** By session in lower case: holders may spell it in any letter case. */
type BySession = Map<string, HeldEntries>

const NONE: readonly KvRow[] = []

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

  /** In the order of their keys. */
  of(tenancy: Tenancy, session: string): readonly KvRow[] {
    return this.#bySpace.get(spaceOf(tenancy))?.get(session.toLowerCase())?.inOrder ?? NONE
  }

  /** Releases all entries of a session, and returns them as `of` does. Cost: those that `of` has not sorted yet. */
  release(tenancy: Tenancy, session: string): readonly KvRow[] {
    const space = spaceOf(tenancy)
    const bySession = this.#bySpace.get(space)
    const held = bySession?.get(session.toLowerCase())
    if (!bySession || !held) return NONE
    bySession.delete(session.toLowerCase())
    if (bySession.size === 0) this.#bySpace.delete(space)
    this.#size -= held.rows.size
    return held.inOrder
  }

  *all(tenancy: Tenancy): Iterable<KvRow> {
    for (const { rows } of this.#bySpace.get(spaceOf(tenancy))?.values() ?? []) yield* rows
  }

  /** Cost: the locked entries of the space. */
  removeUnder(space: string, prefix: string): void {
    for (const { rows } of this.#bySpace.get(space)?.values() ?? [])
      for (const row of rows) if (row.key.startsWith(prefix)) this.#drop(row)
  }

  clear(): void {
    this.#bySpace.clear()
    this.#size = 0
  }

  #add(row: KvRow): void {
    const bySession = getOrCreate<string, BySession>(this.#bySpace, spaceOf(row.tenancy), () => new Map())
    getOrCreate(bySession, row.session.toLowerCase(), () => new HeldEntries()).add(row)
    this.#size++
  }

  #drop(row: KvRow): void {
    const space = spaceOf(row.tenancy)
    const bySession = this.#bySpace.get(space)
    const session = row.session.toLowerCase()
    const held = bySession?.get(session)
    if (!bySession || !held) return
    held.delete(row)
    if (held.rows.size === 0) bySession.delete(session)
    this.#size--
    if (bySession.size === 0) this.#bySpace.delete(space)
  }
}
