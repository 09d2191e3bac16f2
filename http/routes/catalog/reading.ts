// The parameters, headers and filters of catalog and health reads (spec: state.md §1, §6, §7).
import { invalid } from '../../../actors/refusal.js'
import type { CatalogNode } from '../../../events/node.js'
import type { ServiceRow } from '../../../projections/catalog/rows.js'
import type { Fields } from '../../../projections/language/filter-syntax.js'
import type { WatchKey } from '../../../projections/watch.js'
import { reading, type ListState, type ReadState, consistencyHeaders } from '../../wire/reads/blocking.js'
import { filterOf, filteredHeaders } from '../../wire/reads/filter.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { sortedByText } from '../../../projections/sorted-steps.js'
import { jsonText, type Body, type RouteResponse } from '../../wire/response.js'
import { serializedRows } from '../../wire/reads/json-list.js'
import type { SerializedLists } from '../../wire/reads/serialized-lists.js'
import { allRows, pageOf, takePage, type CompleteOrPaged } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'
import { nearestFirst } from '../../../projections/catalog/vivaldi.js'
import { sourceDatacenterOf } from '../../wire/datacenter-routing.js'

/** Denotes the server's own node. */
const AGENT = '_agent'

/**
 * Sorts the rows by their present distance from the node `near`. Keeps the order if the node is missing, has no coordinates, or is one of the
 * client's datacenter.
 * @param nodeOf returns the name of a row's node
 */
function* sortedByDistance<Row>(
  request: RequestContext,
  rows: readonly Row[],
  nodeOf: (row: Row) => string
): Steps<readonly Row[]> {
  const { query, views, settings, tenancy } = request
  const near = query.filled('near')
  if (near === undefined || rows.length < 2 || sourceDatacenterOf(request) !== undefined) return rows
  const { coordinates } = views
  const { partition } = tenancy
  const from = coordinates.of(partition, near === AGENT ? settings.node_name : near)
  if (!from) return rows
  return yield* nearestFirst(rows, from, row => coordinates.of(partition, nodeOf(row)))
}

interface CatalogHeaders {
  readonly isShortened?: boolean
  readonly headers?: readonly string[] | undefined
}

/** Returns the headers that only catalog reads have. */
export const catalogHeaders = (
  request: RequestContext,
  { isShortened = false, headers = [] }: CatalogHeaders
): readonly string[] => [...consistencyHeaders(request), ...filteredHeaders(request, isShortened), ...headers]

export const catalogReading = (
  request: RequestContext,
  body: Body,
  index: number,
  watch: readonly WatchKey[],
  further: CatalogHeaders = {}
): ReadState => reading(body, index, watch, catalogHeaders(request, further))

interface CatalogList<Row> extends Pick<ListState, 'index' | 'watch'> {
  /** Returns the selection of the present rows. @throws Refusal */
  readonly select: () => Steps<Selected<Row>>
  /** Returns the JSON of a row. */
  readonly text: (row: Row) => string
  readonly backend?: RouteResponse['backend']
  /** Where the list of all rows is cached, and the identity of the rows. */
  readonly cached?:
    { readonly lists: SerializedLists; readonly rows: object; readonly form: string } | undefined
}

/** Reads a list in chunks, since its rows never change, unless its bytes are cached. @throws Refusal */
export const catalogList = <Row>(
  request: RequestContext,
  { select, text, index, watch, cached, backend }: CatalogList<Row>
): ReadState | ListState => {
  const { generation } = request.views
  const identity = cached && { rows: cached.rows, form: cached.form, index, generation }
  const known = identity && cached.lists.find(request, identity)
  const answer = (body: Body, found: CatalogHeaders): RouteResponse => {
    const common = jsonText(body, catalogHeaders(request, found))
    return backend ? { ...common, backend } : common
  }
  if (known) return { index, watch, answer: answer(known.body, known) }
  const selected = select()
  const steps = function* (): Steps<RouteResponse> {
    const { rows, ...found } = yield* selected
    const created = { ...found, body: yield* serializedRows(rows, text) }
    if (identity) cached.lists.keep(request, identity, created)
    return answer(created.body, created)
  }
  return { index, watch, steps: steps() }
}

/** Returns the pairs of `node-meta=key:value`. The last pair of a key takes precedence. */
export const nodeMetaOf = ({ query }: RequestContext): readonly (readonly [string, string])[] => {
  const pairs = query.all('node-meta').map(text => {
    const at = text.indexOf(':')
    return at < 0 ? ([text, ''] as const) : ([text.slice(0, at), text.slice(at + 1)] as const)
  })
  return [...new Map(pairs)]
}

export const hasMeta = (meta: CatalogNode['Meta'], pairs: readonly (readonly [string, string])[]): boolean =>
  pairs.every(([key, value]) => meta !== null && Object.hasOwn(meta, key) && meta[key] === value)

/** @param tags in lower case */
const hasTags = ({ state }: ServiceRow, tags: readonly string[]): boolean => {
  if (tags.length === 0) return true
  const own = new Set(state.service.Tags?.map(tag => tag.toLowerCase()))
  return tags.every(tag => own.has(tag))
}

/** Returns a test of an instance for tags and of its node for metadata; undefined without either. */
export const instanceTest = (
  tags: readonly string[],
  meta: ReturnType<typeof nodeMetaOf>
): ((row: ServiceRow) => boolean) | undefined =>
  meta.length === 0 && tags.length === 0
    ? undefined
    : row => hasTags(row, tags) && hasMeta(row.node.state.node.Meta, meta)

/** Returns the requested tags in lower case. */
export const tagsOf = ({ query }: RequestContext): readonly string[] =>
  query.all('tag').map(tag => tag.toLowerCase())

export interface Selected<Row> {
  readonly rows: readonly Row[]
  /** True if matching rows were withheld for lack of permission. */
  readonly isShortened: boolean
  /** The link to the next page, if there is one: names and values in turn. */
  readonly headers: readonly string[]
}

interface Selection<Row> extends Omit<CompleteOrPaged<Row>, 'passes'> {
  /** Tests a row by the parameters other than `filter`; absent for all rows. */
  readonly matches?: ((row: Row) => boolean) | undefined
  readonly fields: Fields
  /** Returns the object that the filter evaluates. */
  readonly object: (row: Row) => object
  /** Returns the name of a row's node, for lists with `near`. */
  readonly nodeOf?: (row: Row) => string
}

const NO_HEADERS: readonly string[] = []
/** A test of a row by a filter takes as long as a text of this length. */
const TESTED_LENGTH = 4096

/**
 * Selects rows by the request's parameters, its `filter` and then the caller's permissions: all of them, a page, or the nearest ones, which have
 * no next page because distances change.
 * @throws Refusal `invalid` for a malformed filter or page
 */
export const select = <Row>(request: RequestContext, selection: Selection<Row>): Steps<Selected<Row>> => {
  const { matches, fields, object, nodeOf } = selection
  const predicate = filterOf(request, fields)
  request.requireToken()
  const passes =
    matches || predicate
      ? (row: Row): boolean => (matches?.(row) ?? true) && (predicate?.(object(row)) ?? true)
      : undefined
  const page = pageOf(request)
  const near = request.query.filled('near') === undefined ? undefined : nodeOf
  if (near && page?.after !== undefined)
    throw invalid('catalog.invalid', 'Invalid after: lists sorted by near cannot be gone on with')
  if (page && !near) return selectPage(takePage(request, page, { ...selection, passes }))
  return selectAll(request, { ...selection, passes }, page?.limit)
}

function* selectPage<Row>(page: ReturnType<typeof takePage<Row>>): Steps<Selected<Row>> {
  const { rows, isLeftOut, headers } = yield* page
  return { rows, isShortened: isLeftOut, headers }
}

type AllRows<Row> = Selection<Row> & Pick<CompleteOrPaged<Row>, 'passes'>

const selectAll = <Row>(
  request: RequestContext,
  { passes, may, sortsBy, nodeOf, ...list }: AllRows<Row>,
  limit: number | undefined
): Steps<Selected<Row>> => {
  const rows = allRows(list)
  const steps = function* (): Steps<Selected<Row>> {
    const pace = new StepPace()
    const seen: Row[] = []
    let isShortened = false
    for (const row of rows) {
      if (pace.isOver(passes ? TESTED_LENGTH : 0)) yield
      if (passes && !passes(row, pace)) continue
      if (may(row)) seen.push(row)
      else isShortened = true
    }
    const inOrder = sortsBy ? yield* sortedByText(seen, sortsBy) : seen
    const nearest = nodeOf ? yield* sortedByDistance(request, inOrder, nodeOf) : inOrder
    return { rows: limit === undefined ? nearest : nearest.slice(0, limit), isShortened, headers: NO_HEADERS }
  }
  return steps()
}

/** Returns the name in the path. @throws Refusal `invalid` if it is empty */
export const nameIn = (request: RequestContext, what: string): string => {
  const name = request.param('name')
  if (name === '') throw invalid('catalog.invalid', `Missing ${what}`)
  return name
}

export const listParameters = {
  'node-meta': '`key:value` that the metadata of the node must have; may be repeated',
  near: 'Sort by the distance from this node; `_agent` is the server’s own',
  filter: 'A filter expression'
}

/** Returns the cache key of a read (state.md §12). */
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

/** Returns the namespaces of a request: one, or all with `*`. */
export const namespacesOf = ({ views, tenancy }: RequestContext): readonly string[] =>
  tenancy.namespace === ALL_NAMESPACES ? views.catalog.namespaces(tenancy.partition) : [tenancy.namespace]
