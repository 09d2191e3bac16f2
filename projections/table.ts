// Rows by key with secondary indexes, an order per tenancy, and the commit index of the last change.
import type { Tenancy } from '../events/envelope.js'
import { namespacesIn, spaceOf, type TableSpec } from './row-table.js'
import { derivedState } from './projection.js'
import { addTo, removeFrom } from './maps.js'
import { SortedRows } from './sorted-rows.js'

const none: ReadonlySet<never> = new Set<never>()

/** The rows of one tenancy in the order of lists, and by page key, which may be the same. */
interface Space<Row extends object> {
  readonly rows: SortedRows<Row>
  readonly pages: SortedRows<Row>
  index: number
}

/** Costs: `get`, `find`, `sharing` O(1); `put` and `delete` O(1) for each index, and those of `SortedRows`. */
export class Table<Row extends object, Unique extends string = never, Multi extends string = never> {
  readonly #rows = new Map<string, Row>()
  readonly #spaces = new Map<string, Space<Row>>()
  readonly #unique = new Map<Unique, Map<string, Row>>()
  readonly #multi = new Map<Multi, Map<string, Set<Row>>>()
  readonly #uniqueKeys: readonly { map: Map<string, Row>; keyOf: (row: Row) => string | undefined }[]
  readonly #multiKeys: readonly { map: Map<string, Set<Row>>; keysOf: (row: Row) => readonly string[] }[]
  #index = 0

  /** The index of each tenancy, which remains after its rows. */
  readonly indexes = derivedState<readonly [space: string, index: number]>({
    clear: () => {
      this.#index = 0
      for (const space of this.#spaces.values()) space.index = 0
    },
    save: () => this.spaces().map(name => [name, this.#spaces.get(name)?.index ?? 0] as const),
    load: ([name, index]) => {
      this.#space(name).index = index
      this.#index = Math.max(this.#index, index)
    }
  })

  constructor(private readonly spec: TableSpec<Row, Unique, Multi>) {
    for (const name in spec.unique) this.#unique.set(name, new Map())
    for (const name in spec.multi) this.#multi.set(name, new Map())
    this.#uniqueKeys = [...this.#unique].map(([name, map]) => ({ map, keyOf: spec.unique[name] }))
    this.#multiKeys = [...this.#multi].map(([name, map]) => ({ map, keysOf: spec.multi[name] }))
  }

  get size(): number {
    return this.#rows.size
  }

  /** Index of the last commit that changed any row; 0 without one. */
  get index(): number {
    return this.#index
  }

  indexOf(tenancy: Tenancy): number {
    return this.#spaces.get(spaceOf(tenancy))?.index ?? 0
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  find(name: Unique, value: string): Row | undefined {
    return this.#unique.get(name)?.get(value)
  }

  /** The rows with this value of an index, in no order. */
  sharing(name: Multi, value: string): ReadonlySet<Row> {
    return this.#multi.get(name)?.get(value) ?? none
  }

  isShared(name: Multi, value: string): boolean {
    return this.sharing(name, value).size > 0
  }

  /** All rows in no order. Rows may change meanwhile: an unchanged row comes once, a changed one at most once, or twice if deleted and put again. */
  all(): IterableIterator<Row> {
    return this.#rows.values()
  }

  list(tenancy: Tenancy): readonly Row[] {
    return this.#spaces.get(spaceOf(tenancy))?.rows.values() ?? []
  }

  /** The rows of one tenancy in the order of lists; see `SortedRows.after`. */
  inOrder(tenancy: Tenancy): Iterable<Row> {
    return this.#spaces.get(spaceOf(tenancy))?.rows.after() ?? []
  }

  /** The place of a row in the order of lists. */
  orderOf(row: Row): string {
    return this.spec.order(row)
  }

  pageKey(row: Row): string {
    return this.spec.pageKey?.(row) ?? this.spec.order(row)
  }

  /** The rows of one tenancy after a page key, or all, in the order of page keys; see `SortedRows.after`. */
  behind(tenancy: Tenancy, after: string | undefined): Iterable<Row> {
    return this.#spaces.get(spaceOf(tenancy))?.pages.after(after) ?? []
  }

  /** The rows of one tenancy at the first step, whatever changes afterwards. */
  within(tenancy: Tenancy): Iterable<Row> {
    return this.#spaces.get(spaceOf(tenancy))?.rows.unchanging() ?? []
  }

  /** The tenancies that ever had rows, as texts of `spaceOf`, sorted. */
  spaces(): string[] {
    return [...this.#spaces.keys()].toSorted()
  }

  namespaces(partition: string): string[] {
    return namespacesIn(partition, this.#spaces.keys())
  }

  *ordered(): Iterable<Row> {
    for (const name of this.spaces()) yield* this.#space(name).rows.after()
  }

  /** @param row another object than the row of the same key, which it replaces and which is returned */
  put(row: Row, index: number): Row | undefined {
    const key = this.spec.key(row)
    const before = this.#rows.get(key)
    this.#rows.set(key, row)
    const space = this.#space(spaceOf(this.spec.tenancy(row)))
    const replaced = before && this.#space(spaceOf(this.spec.tenancy(before))) === space ? before : undefined
    if (before && !replaced) this.#unlink(before)
    const { rows, pages } = space
    if (replaced) rows.replace(replaced, row)
    else rows.add(row)
    if (pages !== rows && replaced) pages.replace(replaced, row)
    else if (pages !== rows) pages.add(row)
    for (const { map, keyOf } of this.#uniqueKeys) {
      const former = replaced && keyOf(replaced)
      const value = keyOf(row)
      if (former !== undefined && former !== value) map.delete(former)
      if (value !== undefined) map.set(value, row)
    }
    for (const { map, keysOf } of this.#multiKeys) {
      for (const value of keysOf(row)) addTo(map, value, row)
      // Afterwards, so that a value of both rows keeps its set.
      if (replaced) for (const value of keysOf(replaced)) removeFrom(map, value, replaced)
    }
    space.index = this.#index = index
    return before
  }

  /** Removes and returns a row; without one no index changes. */
  delete(key: string, index: number): Row | undefined {
    const row = this.#rows.get(key)
    if (!row) return undefined
    this.#rows.delete(key)
    this.#unlink(row).index = this.#index = index
    return row
  }

  clear(): void {
    this.#rows.clear()
    this.#spaces.clear()
    for (const { map } of this.#uniqueKeys) map.clear()
    for (const { map } of this.#multiKeys) map.clear()
    this.#index = 0
  }

  #space(name: string): Space<Row> {
    const known = this.#spaces.get(name)
    if (known) return known
    const { order, pageKey } = this.spec
    const rows = new SortedRows(order)
    const space = { rows, pages: pageKey ? new SortedRows(pageKey) : rows, index: 0 }
    this.#spaces.set(name, space)
    return space
  }

  #unlink(row: Row): Space<Row> {
    const space = this.#space(spaceOf(this.spec.tenancy(row)))
    const { rows, pages } = space
    rows.delete(row)
    if (pages !== rows) pages.delete(row)
    for (const { map, keyOf } of this.#uniqueKeys) {
      const value = keyOf(row)
      if (value !== undefined) map.delete(value)
    }
    for (const { map, keysOf } of this.#multiKeys)
      for (const value of keysOf(row)) removeFrom(map, value, row)
    return space
  }
}
