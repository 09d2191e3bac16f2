// What reads of the catalog and of health have in common: parameters, headers, filters (spec: state.md §1, §6, §7).
import { invalid } from '../../../actors/refusal.js'
import type { CatalogNode } from '../../../events/node.js'
import type { CheckRow, ServiceRow } from '../../../projections/catalog/rows.js'
import type { Fields } from '../../../projections/language/filter-syntax.js'
import type { WatchKey } from '../../../projections/watch.js'
import { reading, type ReadState, consistencyHeaders } from '../../wire/reads/blocking.js'
import { filterOf, filteredHeaders } from '../../wire/reads/filter.js'
import { pageOf, takePage, type CompleteOrPaged } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'
import { nearestFirst } from '../../../projections/catalog/vivaldi.js'
import { sourceDatacenterOf } from '../../wire/datacenter-routing.js'

/** Stands for the server's own node. */
const AGENT = '_agent'

/**
 * The rows, nearest to the node that `near` names first. They stay as they are when there is no such node, it has no
 * coordinates, or the client asks in another datacenter, whose nodes are meant.
 * @param nodeOf the name of a row's node
 */
const byDistance = <Row>(
  request: RequestContext,
  rows: readonly Row[],
  nodeOf: (row: Row) => string
): readonly Row[] => {
  const { query, views, settings, tenancy } = request
  const near = query.filled('near')
  if (near === undefined || rows.length < 2 || sourceDatacenterOf(request) !== undefined) return rows
  const { coordinates } = views
  const { partition } = tenancy
  const from = coordinates.of(partition, near === AGENT ? settings.node_name : near)
  return from ? nearestFirst(rows, from, row => coordinates.of(partition, nodeOf(row))) : rows
}

/** A reading of the catalog: with the headers that only these have. */
export const catalogReading = (
  request: RequestContext,
  body: string | Buffer,
  index: number,
  watch: readonly WatchKey[],
  {
    isShortened = false,
    backend = 'blocking-query',
    headers = []
  }: {
    readonly isShortened?: boolean
    readonly backend?: string
    readonly headers?: readonly string[] | undefined
  } = {}
): ReadState =>
  reading(body, index, watch, [
    ...consistencyHeaders(request, backend),
    ...filteredHeaders(request, isShortened),
    ...headers
  ])

/** The pairs of `node-meta=key:value`; of one key given twice the last counts. */
export const nodeMetaOf = ({ query }: RequestContext): readonly (readonly [string, string])[] => {
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
const hasTags = ({ state }: ServiceRow, tags: readonly string[]): boolean => {
  if (tags.length === 0) return true
  const own = new Set(state.service.Tags?.map(tag => tag.toLowerCase()))
  return tags.every(tag => own.has(tag))
}

/** Whether an instance has all these tags, and its node all this metadata; undefined where nothing is asked for. */
export const instanceTest = (
  tags: readonly string[],
  meta: ReturnType<typeof nodeMetaOf>
): ((row: ServiceRow) => boolean) | undefined =>
  meta.length === 0 && tags.length === 0
    ? undefined
    : row => hasTags(row, tags) && hasMeta(row.host.state.node.Meta, meta)

/** The tags that a request names, in lower case. */
export const tagsOf = ({ query }: RequestContext): readonly string[] =>
  query.all('tag').map(tag => tag.toLowerCase())

interface Selected<Row> {
  readonly rows: readonly Row[]
  /** Whether rights kept back what the filter would have kept. */
  readonly isShortened: boolean
  /** For the answer: where the next page is, if there is one. Names and values in turn. */
  readonly headers: readonly string[]
}

/** What a list is selected from. */
interface Selection<Row> extends Omit<CompleteOrPaged<Row>, 'passes'> {
  /** Whether the parameters of the request, apart from `filter`, ask for a row; absent for all. */
  readonly matches?: ((row: Row) => boolean) | undefined
  readonly fields: Fields
  /** What the filter looks at. */
  readonly object: (row: Row) => object
  /** The name of a row's node, for lists that take `near`. */
  readonly nodeOf?: (row: Row) => string
}

const NO_HEADERS: readonly string[] = []

/** The nearest rows first: as many as a page has, without a next one, since distances change. @throws Refusal `invalid` for `after` */
const nearest = <Row>(
  request: RequestContext,
  rows: readonly Row[],
  { nodeOf }: Selection<Row>
): readonly Row[] => {
  if (!nodeOf) return rows
  const page = pageOf(request)
  if (page?.after !== undefined) throw invalid('Invalid after: lists sorted by near cannot be gone on with')
  return byDistance(request, rows, nodeOf).slice(0, page?.limit)
}

/**
 * What is left of rows by the request's parameters, its `filter`, and then by its rights: all of it, or a page.
 * @throws Refusal `invalid` for a filter or a page that cannot be understood
 */
export const select = <Row>(request: RequestContext, selection: Selection<Row>): Selected<Row> => {
  const { all, matches, fields, object, may, nodeOf } = selection
  const predicate = filterOf(request, fields)
  request.requireToken()
  const passes =
    matches || predicate
      ? (row: Row): boolean => (matches?.(row) ?? true) && (predicate?.(object(row)) ?? true)
      : undefined
  const isNear = nodeOf !== undefined && request.query.filled('near') !== undefined
  const page = isNear ? undefined : pageOf(request)
  if (page) {
    const { rows, isLeftOut, headers } = takePage(request, page, { ...selection, passes })
    return { rows, isShortened: isLeftOut, headers }
  }
  const kept = passes ? all().filter(passes) : all()
  const seen = kept.filter(may)
  const rows = isNear ? nearest(request, seen, selection) : seen
  return { rows, isShortened: seen.length < kept.length, headers: NO_HEADERS }
}

/** Joins ready texts to a JSON array. */
export const arrayOf = (texts: readonly string[]): string => `[${texts.join(',')}]`

/** Checks by node, then ID, as lists show them. */
export const inOrder = (rows: Iterable<CheckRow>): readonly CheckRow[] =>
  [...rows]
    .map(row => [row.order, row] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row)

/** Parameters that most lists have. */
export const listParameters = {
  'node-meta': '`key:value` that the metadata of the node must have; may be repeated',
  near: 'Sort by the distance from this node; `_agent` is the server’s own',
  filter: 'A filter expression'
}

/** What tells one cached answer from another (state.md §12). */
export const cacheParts = (request: RequestContext, endpoint: string, name = ''): readonly string[] => {
  const { partition, namespace } = request.tenancy
  const meta = nodeMetaOf(request).map(pair => pair.join(':'))
  return [
    endpoint,
    partition,
    namespace,
    name.toLowerCase(),
    JSON.stringify([tagsOf(request).toSorted(), meta.toSorted()]),
    request.query.get('filter') ?? '',
    JSON.stringify(pageOf(request) ?? null)
  ]
}

/** The namespaces that a request means: one, or all that there are. */
export const namespacesOf = ({ views, tenancy }: RequestContext): readonly string[] =>
  tenancy.namespace === ALL_NAMESPACES ? views.catalog.namespaces(tenancy.partition) : [tenancy.namespace]
