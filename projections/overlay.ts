// Changes on top of a table, for a draft: read as if they had happened, while the table stays as it is.
import type { Tenancy } from '../events/envelope.js'
import { byText, spaceOf, type RowTable, type TableSpec } from './row-table.js'

/**
 * A draft of a table. `get`, `put` and `delete` cost O(1), `find` the number of changes; `sharing` costs the changes and
 * the rows that share the value, `list` the rows listed. Only `all` depends on the size of the table below, which must
 * not change as long as the overlay is used.
 */
export class Overlay<Row extends object, Unique extends string, Multi extends string> implements RowTable<
  Row,
  Unique,
  Multi
> {
  readonly #spec: TableSpec<Row, Unique, Multi>
  readonly #below: RowTable<Row, Unique, Multi>
  /** By key; null for a row that was removed. */
  readonly #changes = new Map<string, Row | null>()
  readonly #spaces = new Map<string, number>()
  #index = 0

  constructor(spec: TableSpec<Row, Unique, Multi>, below: RowTable<Row, Unique, Multi>) {
    this.#spec = spec
    this.#below = below
  }

  get index(): number {
    return Math.max(this.#index, this.#below.index)
  }

  get size(): number {
    let size = this.#below.size
    for (const [key, row] of this.#changes) size += (row ? 1 : 0) - (this.#below.get(key) ? 1 : 0)
    return size
  }

  indexOf(tenancy: Tenancy): number {
    return this.#spaces.get(spaceOf(tenancy)) ?? this.#below.indexOf(tenancy)
  }

  get(key: string): Row | undefined {
    const change = this.#changes.get(key)
    return change === undefined ? this.#below.get(key) : (change ?? undefined)
  }

  find(name: Unique, value: string): Row | undefined {
    const valueOf = this.#spec.unique[name]
    for (const row of this.#changes.values()) if (row && valueOf(row) === value) return row
    return this.#kept(this.#below.find(name, value))
  }

  sharing(name: Multi, value: string): ReadonlySet<Row> {
    const below = this.#below.sharing(name, value)
    if (this.#changes.size === 0) return below
    const valuesOf = this.#spec.multi[name]
    const rows = new Set<Row>()
    for (const row of below) if (this.#kept(row)) rows.add(row)
    for (const row of this.#changes.values()) if (row && valuesOf(row).includes(value)) rows.add(row)
    return rows
  }

  list(tenancy: Tenancy): readonly Row[] {
    const below = this.#below.list(tenancy)
    const space = spaceOf(tenancy)
    if (!this.#spaces.has(space)) return below
    const rows = below.filter(row => this.#kept(row))
    for (const row of this.#changes.values())
      if (row && spaceOf(this.#spec.tenancy(row)) === space) rows.push(row)
    return rows.toSorted((a, b) => byText(this.#spec.order(a), this.#spec.order(b)))
  }

  within(tenancy: Tenancy): readonly Row[] {
    return this.list(tenancy)
  }

  count(tenancy: Tenancy): number {
    return this.list(tenancy).length
  }

  *all(): Iterable<Row> {
    for (const row of this.#below.all()) if (this.#kept(row)) yield row
    for (const row of this.#changes.values()) if (row) yield row
  }

  put(row: Row, index: number): Row | undefined {
    const key = this.#spec.key(row)
    const before = this.get(key)
    this.#changes.set(key, row)
    this.#touch(row, index)
    return before
  }

  delete(key: string, index: number): Row | undefined {
    const before = this.get(key)
    if (!before) return undefined
    this.#changes.set(key, null)
    this.#touch(before, index)
    return before
  }

  /** Drops the draft: what was below shows again. */
  clear(): void {
    this.#changes.clear()
    this.#spaces.clear()
    this.#index = 0
  }

  overlay(): Overlay<Row, Unique, Multi> {
    return new Overlay(this.#spec, this)
  }

  /** A row from below, unless the draft replaced or removed it. */
  #kept(row: Row | undefined): Row | undefined {
    return row && !this.#changes.has(this.#spec.key(row)) ? row : undefined
  }

  #touch(row: Row, index: number): void {
    this.#index = index
    this.#spaces.set(spaceOf(this.#spec.tenancy(row)), index)
  }
}
