// Reads of ACL resources in one namespace, or with `*` in all namespaces of a partition in which the caller may read
// (spec: tenancy.md §5.2, §8).
import { refusedWith, jsonText, type RouteResponse } from '../../wire/response.js'
import { aclNotFound } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import { getOrCreate } from '../../../projections/maps.js'
import { spaceOf } from '../../../projections/row-table.js'
import type { WatchKey } from '../../../projections/watch.js'
import type { BytePieces } from '../../../projections/byte-pieces.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { sortedByText } from '../../../projections/sorted-steps.js'
import { reading, type ListState, type ReadState } from '../../wire/reads/blocking.js'
import { filteredHeaders } from '../../wire/reads/filter.js'
import { JsonList } from '../../wire/reads/json-list.js'
import { pageOf, takePage, type Page, type PagePart, unorderedPart } from '../../wire/reads/page.js'
import { type RequestContext, aclText, withNamespace } from '../../wire/request-context.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'
import type { Tag } from '../../openapi/tags.js'
import { requires, PRIMARY_WRITE } from '../../wire/route.js'

export const aclFacts = (tag: Tag) => {
  const facts = { tag } as const
  return {
    read: {
      ...facts,
      method: 'GET',
      access: requires('acl:read'),
      blocking: true,
      consistency: 'all',
      isConfined: true
    },
    write: { ...facts, access: requires('acl:write') }
  } as const
}

/** The facts of resources that the primary datacenter owns. */
export const globalAclFacts = (tag: Tag) => {
  const { read, write } = aclFacts(tag)
  return { read, write: { ...write, ...PRIMARY_WRITE } } as const
}

/** Returns whether the caller may read the ACL resources of a tenancy. */
export const readCheck = (request: RequestContext): ((tenancy: Tenancy) => boolean) => {
  const readable = new Map<string, boolean>()
  return tenancy => getOrCreate(readable, spaceOf(tenancy), () => request.may('acl', 'read', '', tenancy))
}

export interface InTenancy {
  readonly tenancy: Tenancy
}

interface Source {
  indexOf(tenancy: Tenancy): number
}

export interface ListSource<Row> extends Source {
  inOrder(tenancy: Tenancy): Iterable<Row>
  behind(tenancy: Tenancy, after: string | undefined): Iterable<Row>
  orderOf(row: Row): string
  pageKey(row: Row): string
}

interface AclList<Row extends InTenancy> {
  readonly source: ListSource<Row>
  /** Watch key of any change. The suffix `/<partition>/<namespace>` restricts it to a tenancy. */
  readonly watch: string
  /** The rows of any tenancy that the request selects by a link, in no order; absent if it selects by none. They must not change. */
  readonly linked?: readonly Row[] | undefined
  /** Default: all rows pass. */
  readonly passes?: ((row: Row) => boolean) | undefined
  text(row: Row, mayWrite: boolean): string
  /** The cached list of a tenancy, if there is one. */
  readonly all?: ((tenancy: Tenancy, mayWrite: boolean) => Steps<BytePieces>) | undefined
}

const mayRead = (request: RequestContext, tenancy: Tenancy): boolean =>
  request.may('acl', 'read', '', tenancy)
const mayWrite = (request: RequestContext, tenancy: Tenancy): boolean =>
  request.may('acl', 'write', '', tenancy)

/**
 * Returns a row that the caller may read in its own tenancy, which with `*` may be any. Any other row is like a missing one, so that the
 * response does not disclose that it exists.
 * @throws Refusal `denied` without `acl:read` in the tenancy of the request
 */
export const readableRow = <Row extends InTenancy>(
  request: RequestContext,
  row: Row | undefined
): Row | undefined => {
  if (row && mayRead(request, row.tenancy)) return row
  request.require('acl', 'read')
  return undefined
}

/** Returns the namespaces of a request: one, or all with `*`. */
export const namespacesOf = ({ views, tenancy: { partition, namespace } }: RequestContext) =>
  namespace === ALL_NAMESPACES ? views.namespaces.names(partition) : [namespace]

/** The rows of each tenancy in the present state, in the order of lists. */
type RowsOfTenancies<Row> = ReadonlyMap<string, Iterable<Row>>

/** Finds the rows that the request selects. */
const selectedRows = <Row extends InTenancy>(
  { source, linked }: AclList<Row>,
  tenancies: readonly Tenancy[]
): Steps<RowsOfTenancies<Row>> => {
  const all = linked ? [] : tenancies.map(tenancy => [spaceOf(tenancy), source.inOrder(tenancy)] as const)
  const steps = function* (): Steps<RowsOfTenancies<Row>> {
    if (!linked) return new Map(all)
    const pace = new StepPace()
    const rows = new Map(tenancies.map(tenancy => [spaceOf(tenancy), new Array<Row>()]))
    for (const row of yield* sortedByText(linked, one => source.orderOf(one))) {
      rows.get(spaceOf(row.tenancy))?.push(row)
      if (pace.isOver()) yield
    }
    return rows
  }
  return steps()
}

const partOf = <Row extends InTenancy>(
  { source, linked }: AclList<Row>,
  tenancy: Tenancy,
  name: string
): PagePart<Row> =>
  linked
    ? unorderedPart(within(linked, tenancy), name)
    : { name, behind: after => source.behind(tenancy, after) }

function* within<Row extends InTenancy>(rows: readonly Row[], tenancy: Tenancy): Iterable<Row> {
  const space = spaceOf(tenancy)
  for (const row of rows) if (spaceOf(row.tenancy) === space) yield row
}

/** The entries of a list, whose rows are those of one state. */
class Entries<Row extends InTenancy> {
  readonly #entries = new JsonList()
  readonly #pace = new StepPace()
  readonly #namesDefault: boolean

  constructor(
    request: RequestContext,
    private readonly list: AclList<Row>
  ) {
    this.#namesDefault = request.namesDefault
  }

  *add(rows: Iterable<Row>, isWriter: (row: Row) => boolean): Steps<void> {
    const { passes } = this.list
    for (const row of rows) {
      const text = passes && !passes(row) ? '' : this.list.text(row, isWriter(row))
      if (text !== '') this.#entries.push(this.#namesDefault ? withNamespace(text, row.tenancy) : text)
      if (this.#pace.isOver(text.length)) yield
    }
  }

  /** Returns true if any row belongs to the list. */
  *hasAny(rows: Iterable<Row>): Steps<boolean> {
    const { passes } = this.list
    for (const row of rows) {
      if (!passes || passes(row)) return true
      if (this.#pace.isOver()) yield
    }
    return false
  }

  end(): BytePieces {
    return this.#entries.end()
  }
}

const readPage = <Row extends InTenancy>(
  request: RequestContext,
  list: AclList<Row>,
  page: Page
): ListState => {
  const { views, tenancy } = request
  const { partition, namespace } = tenancy
  const isAll = namespace === ALL_NAMESPACES
  const names = namespacesOf(request)
  const readableIn = new Map(names.map(name => [name, mayRead(request, { partition, namespace: name })]))
  const writableIn = new Map(names.map(name => [name, mayWrite(request, { partition, namespace: name })]))
  const taken = takePage(request, page, {
    parts: names.map(name => partOf(list, { partition, namespace: name }, isAll ? name : '')),
    keyOf: row => list.source.pageKey(row),
    passes: list.passes,
    may: row => readableIn.get(row.tenancy.namespace) === true
  })
  const steps = function* (): Steps<RouteResponse> {
    const { rows, isLeftOut, headers } = yield* taken
    const entries = new Entries(request, { ...list, passes: undefined })
    yield* entries.add(rows, row => writableIn.get(row.tenancy.namespace) === true)
    return jsonText(entries.end(), [...filteredHeaders(request, isLeftOut), ...headers])
  }
  const indexes = names.map(name => list.source.indexOf({ partition, namespace: name }))
  const index = Math.max(isAll ? views.namespaces.indexOf(partition) : 0, ...indexes)
  return { index, watch: [isAll ? list.watch : `${list.watch}/${spaceOf(tenancy)}`], steps: steps() }
}

const readAllNamespaces = <Row extends InTenancy>(request: RequestContext, list: AclList<Row>): ListState => {
  const { views } = request
  const { partition } = request.tenancy
  const tenancies = views.namespaces.names(partition).map(namespace => ({ partition, namespace }))
  const selected = selectedRows(list, tenancies)
  const steps = function* (): Steps<RouteResponse> {
    const entries = new Entries(request, list)
    const rowsOf = yield* selected
    let isLeftOut = false
    for (const tenancy of tenancies) {
      const rows = rowsOf.get(spaceOf(tenancy)) ?? []
      if (mayRead(request, tenancy)) {
        const isWriter = mayWrite(request, tenancy)
        yield* entries.add(rows, () => isWriter)
      } else isLeftOut ||= yield* entries.hasAny(rows)
    }
    return jsonText(entries.end(), filteredHeaders(request, isLeftOut))
  }
  const indexes = tenancies.map(tenancy => list.source.indexOf(tenancy))
  const index = Math.max(views.namespaces.indexOf(partition), ...indexes)
  return { index, watch: [list.watch], steps: steps() }
}

const readOneNamespace = <Row extends InTenancy>(request: RequestContext, list: AclList<Row>): ListState => {
  const { tenancy } = request
  const isWriter = mayWrite(request, tenancy)
  const all = list.all?.(tenancy, isWriter)
  const selected = selectedRows(list, all ? [] : [tenancy])
  const steps = function* (): Steps<RouteResponse> {
    if (all) return jsonText(yield* all)
    const entries = new Entries(request, list)
    const rowsOf = yield* selected
    yield* entries.add(rowsOf.get(spaceOf(tenancy)) ?? [], () => isWriter)
    return jsonText(entries.end())
  }
  return {
    index: list.source.indexOf(tenancy),
    watch: [`${list.watch}/${spaceOf(tenancy)}`],
    steps: steps()
  }
}

/**
 * Reads a list of the request's namespace, or with `*` of all namespaces, by name, in which the caller has `acl:read`.
 * @throws Refusal `denied` without `acl:read` there, or with `*` in any
 */
export const readAclList = <Row extends InTenancy>(
  request: RequestContext,
  list: AclList<Row>
): ListState => {
  request.require('acl', 'read')
  const { views, tenancy } = request
  const { namesVersion } = views
  const page = pageOf(request)
  const read = page
    ? readPage(request, list, page)
    : tenancy.namespace === ALL_NAMESPACES
      ? readAllNamespaces(request, list)
      : readOneNamespace(request, list)
  // The texts have names of policies and roles.
  return { ...read, holds: () => views.namesVersion === namesVersion }
}

/** The response for a token or policy that does not exist (decisions.md 5). */
export const ACL_NOT_FOUND: RouteResponse = refusedWith('acl.not-found', aclNotFound().message)

interface AclOne<Row extends InTenancy> {
  readonly source: Source
  /** Watch key of any change of the kind. The suffix `/<partition>/<namespace>` restricts it to a tenancy. */
  readonly watch: string
  readonly watchOf: (row: Row) => WatchKey
  text(row: Row, mayWrite: boolean): string
  readonly missing: RouteResponse
}

/** Reads a missing resource. A blocking query waits until it is created. */
const absent = (
  request: RequestContext,
  { source, watch, missing }: Omit<AclOne<never>, 'text' | 'watchOf'>
): ReadState => {
  const { tenancy } = request
  return {
    index: source.indexOf(tenancy),
    watch: [tenancy.namespace === ALL_NAMESPACES ? watch : `${watch}/${spaceOf(tenancy)}`],
    answer: missing
  }
}

/** Reads one resource or its absence. @throws Refusal `denied` */
export const readAclOne = <Row extends InTenancy>(
  request: RequestContext,
  stored: Row | undefined,
  resource: AclOne<Row>
): ReadState => {
  const row = readableRow(request, stored)
  if (!row) return absent(request, resource)
  const { tenancy } = row
  const text = aclText(request, resource.text(row, mayWrite(request, tenancy)), tenancy)
  return reading(text, resource.source.indexOf(tenancy), [resource.watchOf(row)])
}
