import type { Tenancy } from '../events/envelope.js'

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the rows in the order of their keys. */
export const byKey = <Row>(rows: ReadonlyMap<string, Row>): readonly Row[] => {
  const sorted: Row[] = []
  for (const key of [...rows.keys()].toSorted(byText)) {
    const row = rows.get(key)
    if (row !== undefined) sorted.push(row)
  }
  return sorted
}

/** Names of indexes are the table's own. */
export interface TableSpec<Row, Unique extends string, Multi extends string> {
  /** Unique over all tenancies. */
  key(row: Row): string
  tenancy(row: Row): Tenancy
  /** Orders the rows of one tenancy; unique within it. */
  readonly order: (row: Row) => string
  /** The page key of a row: constant while the row exists, and unique in a tenancy. By default the order. */
  readonly pageKey?: (row: Row) => string
  /** Further unique keys; undefined for rows without one. */
  readonly unique: { readonly [name in Unique]: (row: Row) => string | undefined }
  readonly multi: { readonly [name in Multi]: (row: Row) => readonly string[] }
}

/** The key of a tenancy in maps. Names of namespaces and partitions contain no slash. */
export const spaceOf = ({ partition, namespace }: Tenancy): string =>
  // The most frequent tenancy: a constant text, whose hash is cached.
  namespace === 'default' && partition === 'default' ? 'default/default' : `${partition}/${namespace}`

/** A key that is unique within a tenancy without regard to letter case (acl.md §4.3, §5; auth.md §1). */
export const nameKey = (tenancy: Tenancy, name: string): string => `${spaceOf(tenancy)}/${name.toLowerCase()}`

export const tenancyOfSpace = (space: string): Tenancy => {
  const [partition = '', namespace = ''] = space.split('/')
  return { partition, namespace }
}

/** The namespaces of a partition among spaces, sorted. */
export const namespacesIn = (partition: string, spaces: Iterable<string>): string[] => {
  const start = `${partition}/`
  const own = [...spaces].filter(space => space.startsWith(start))
  return own.map(space => space.slice(start.length)).toSorted()
}
