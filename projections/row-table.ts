// What tables know of their rows, and what decisions ask of a table or of an overlay on it.
import type { Tenancy } from '../events/envelope.js'

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What a table needs to know of its rows. Names of indexes are the table's own. */
export interface TableSpec<Row, Unique extends string, Multi extends string> {
  /** Unique over all tenancies. */
  key(row: Row): string
  tenancy(row: Row): Tenancy
  /** Sorts the rows of one tenancy; unique within it. */
  order(row: Row): string
  /**
   * By what pages of a list go, where the order may change with a row: as long as a row is there it stays the same, and it is
   * unique in a tenancy. Absent: the order.
   */
  pageKey?(row: Row): string
  /** Further unique keys; undefined where a row has none. */
  readonly unique: { readonly [name in Unique]: (row: Row) => string | undefined }
  /** Keys that many rows share. */
  readonly multi: { readonly [name in Multi]: (row: Row) => readonly string[] }
}

/** One text for a tenancy, as a key of a Map. Names of namespaces and partitions hold no slash. */
export const spaceOf = ({ partition, namespace }: Tenancy): string =>
  // Most reads and writes are of this one: one text for all, which Maps need not hash again.
  namespace === 'default' && partition === 'default' ? 'default/default' : `${partition}/${namespace}`

/** The tenancy that a text of `spaceOf` is of. */
export const tenancyOfSpace = (space: string): Tenancy => {
  const [partition = '', namespace = ''] = space.split('/')
  return { partition, namespace }
}

/** What decisions ask of a table. */
export interface TableReader<Row extends object, Multi extends string> {
  get(key: string): Row | undefined
  /** The rows that share this value of an index, in no order. Cost: those, and all changes of an overlay. */
  sharing(name: Multi, value: string): Iterable<Row>
}
