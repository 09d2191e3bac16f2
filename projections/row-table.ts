// What a read model asks of the rows it keeps, whether they are the stored ones (Table) or those of a draft (Overlay).
import type { Tenancy } from '../events/envelope.js'
import type { Memory } from './saved.js'

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What a table needs to know of its rows. Names of indexes are the table's own. */
export interface TableSpec<Row, Unique extends string, Multi extends string> {
  /** Unique over all tenancies. */
  key(row: Row): string
  tenancy(row: Row): Tenancy
  /** Sorts the rows of one tenancy; unique within it. */
  order(row: Row): string
  /** Further unique keys; undefined where a row has none. */
  readonly unique: { readonly [name in Unique]: (row: Row) => string | undefined }
  /** Keys that many rows share. */
  readonly multi: { readonly [name in Multi]: (row: Row) => readonly string[] }
}

/** One text for a tenancy, as a key of a Map. Names of namespaces and partitions hold no slash. */
export const spaceOf = ({ partition, namespace }: Tenancy): string =>
  // Most reads and writes are of this one: its text is not made again, nor hashed again by the Maps that it is a key of.
  namespace === 'default' && partition === 'default' ? 'default/default' : `${partition}/${namespace}`

/** Questions about rows. Costs are those of `Table`; an `Overlay` says where its own differ. */
export interface TableReader<
  Row extends object,
  Unique extends string = never,
  Multi extends string = never
> {
  /** Index of the last commit that changed any row, 0 if none ever did. */
  readonly index: number
  readonly size: number
  /** Index of the last commit that changed a row of this tenancy. */
  indexOf(tenancy: Tenancy): number
  get(key: string): Row | undefined
  /** The row with this value of a unique index. */
  find(name: Unique, value: string): Row | undefined
  /** The rows that share this value of an index, in no order. */
  sharing(name: Multi, value: string): ReadonlySet<Row>
  /** The rows of one tenancy in the table's order. */
  list(tenancy: Tenancy): readonly Row[]
  /** The rows of one tenancy in no order, while they are removed: cheap to begin; rows removed meanwhile may still come. */
  within(tenancy: Tenancy): Iterable<Row>
  /** Number of rows of one tenancy. */
  count(tenancy: Tenancy): number
  /** All rows in the order of keys of no meaning. */
  all(): Iterable<Row>
}

/**
 * Rows that can be changed. A read model that takes its table from outside can be made twice: over its Table, folding
 * the log, and over an Overlay of that, folding the events of a draft that nobody else sees.
 */
export interface RowTable<
  Row extends object,
  Unique extends string = never,
  Multi extends string = never
> extends TableReader<Row, Unique, Multi> {
  /** What it remembers of tenancies. A draft, which is never saved, has none. */
  readonly indexes?: Memory
  /** Stores a row in place of the one with the same key, which is returned. */
  put(row: Row, index: number): Row | undefined
  /** Removes the row with this key and returns it; undefined, and no index moves, when there is none. */
  delete(key: string, index: number): Row | undefined
  clear(): void
  /** Changes on top of these rows that leave them as they are. */
  overlay(): RowTable<Row, Unique, Multi>
}
