// What reads of the catalog and of health have in common: parameters, headers, filters (spec: state.md §1, §6, §7).
import type { CatalogNode } from '../../../events/node.js'
import type { CheckRow, ServiceRow } from '../../../projections/catalog/rows.js'
import type { Fields } from '../../../projections/language/fields.js'
import type { WatchKey } from '../../../projections/watch.js'
import { reading, type Reading } from '../../wire/reads/blocking.js'
import { consistencyHeaders } from '../../wire/reads/consistency-headers.js'
import { filterOf } from '../../wire/reads/filter.js'
import { filteredHeaders } from '../../wire/reads/filtered.js'
import type { ApiRequest } from '../../wire/request.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

/** A reading of the catalog: with the headers that only these have. */
export const catalogReading = (
  request: ApiRequest,
  body: string,
  index: number,
  watch: readonly WatchKey[],
  { isShortened = false, backend = 'blocking-query' } = {}
): Reading =>
  reading(body, index, watch, [
    ...consistencyHeaders(request, backend),
    ...filteredHeaders(request, isShortened)
  ])

/** The pairs of `node-meta=key:value`; of one key given twice the last counts. */
export const nodeMetaOf = ({ query }: ApiRequest): readonly (readonly [string, string])[] => {
  const pairs = query.all('node-meta').map(text => {
    const at = text.indexOf(':')
    return at < 0 ? ([text, ''] as const) : ([text.slice(0, at), text.slice(at + 1)] as const)
  })
  return [...new Map(pairs)]
}

/** Whether metadata has all the pairs. */
export const hasMeta = (meta: CatalogNode['Meta'], pairs: readonly (readonly [string, string])[]): boolean =>
  pairs.every(([key, value]) => meta !== null && Object.hasOwn(meta, key) && meta[key] === value)

/** Whether an instance has all the tags that a request names with `tag`, in any letter case. */
export const hasTags = ({ state }: ServiceRow, tags: readonly string[]): boolean => {
  if (tags.length === 0) return true
  const own = new Set(state.service.Tags?.map(tag => tag.toLowerCase()))
  return tags.every(tag => own.has(tag))
}

/** The tags that a request names, in lower case. */
export const tagsOf = ({ query }: ApiRequest): readonly string[] =>
  query.all('tag').map(tag => tag.toLowerCase())

interface Selected<Row> {
  readonly rows: readonly Row[]
  /** Whether rights kept back what the filter would have kept. */
  readonly isShortened: boolean
}

/**
 * What is left of rows by the request's `filter`, and then by its rights.
 * @param object what the filter looks at
 * @throws Refusal `invalid` for a filter that cannot be understood
 */
export const select = <Row>(
  request: ApiRequest,
  rows: readonly Row[],
  fields: Fields,
  object: (row: Row) => object,
  may: (row: Row) => boolean
): Selected<Row> => {
  const predicate = filterOf(request, fields)
  request.requireToken()
  const kept = predicate ? rows.filter(row => predicate(object(row))) : rows
  const seen = kept.filter(may)
  return { rows: seen, isShortened: seen.length < kept.length }
}

/** Joins ready texts to a JSON array. */
export const arrayOf = (texts: readonly string[]): string => `[${texts.join(',')}]`

/** Checks by node, then ID, as lists show them. */
export const inOrder = (rows: Iterable<CheckRow>): readonly CheckRow[] =>
  [...rows]
    .map(row => [`${row.host.name.toLowerCase()}\0${row.state.check.CheckID.toLowerCase()}`, row] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row)

/** Parameters that most lists have. */
export const listParameters = {
  'node-meta': '`key:value` that the metadata of the node must have; may be repeated',
  near: 'Sort by the distance from this node; `_agent` is the server’s own',
  filter: 'A filter expression'
}

/** What tells one cached answer from another (state.md §12). */
export const cacheParts = (request: ApiRequest, endpoint: string, name = ''): readonly string[] => {
  const { partition, namespace } = request.tenancy
  const meta = nodeMetaOf(request).map(pair => pair.join(':'))
  return [
    endpoint,
    partition,
    namespace,
    name.toLowerCase(),
    JSON.stringify([tagsOf(request).toSorted(), meta.toSorted()]),
    request.query.get('filter') ?? ''
  ]
}

/** The namespaces that a request means: one, or all that there are. */
export const namespacesOf = ({ views, tenancy }: ApiRequest): readonly string[] =>
  tenancy.namespace === ALL_NAMESPACES ? views.catalog.namespaces(tenancy.partition) : [tenancy.namespace]
