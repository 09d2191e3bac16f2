// Reads of ACL resources in one namespace, or with `*` in all namespaces of a partition in which the caller may read
// (spec: tenancy.md §5.2, §8).
import { aclNotFound } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import { spaceOf } from '../../../projections/row-table.js'
import type { WatchKey } from '../../../projections/watch.js'
import { plain, type RouteResponse } from '../../wire/response.js'
import { reading, type ReadState } from '../../wire/reads/blocking.js'
import { filteredHeaders } from '../../wire/reads/filter.js'
import { JsonList } from '../../wire/reads/json-list.js'
import { pageOf, sortedPart, takePage, type Page, type PagePart } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { aclText, withNamespace } from '../../wire/namespace-view.js'
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

const ENTRY_BYTES = 512

interface InTenancy {
  readonly tenancy: Tenancy
}

interface Source {
  indexOf(tenancy: Tenancy): number
}

interface ListSource<Row> extends Source {
  list(tenancy: Tenancy): readonly Row[]
  behind(tenancy: Tenancy, after: string | undefined): Iterable<Row>
  pageKey(row: Row): string
}

interface AclList<Row extends InTenancy> {
  readonly source: ListSource<Row>
  /** Watch key of any change. The suffix `/<partition>/<namespace>` restricts it to a tenancy. */
  readonly watch: string
  /** The rows of a tenancy that the request selects by a link, in list order; absent if it selects by none. */
  readonly linked?: ((tenancy: Tenancy) => readonly Row[]) | undefined
  /** Default: all rows pass. */
  readonly passes?: ((row: Row) => boolean) | undefined
  text(row: Row, mayWrite: boolean): string
  /** The cached list of a tenancy, if there is one. */
  readonly all?: (tenancy: Tenancy, mayWrite: boolean) => Buffer
}

const mayRead = (request: RequestContext, tenancy: Tenancy): boolean =>
  request.may('acl', 'read', '', tenancy)
const mayWrite = (request: RequestContext, tenancy: Tenancy): boolean =>
  request.may('acl', 'write', '', tenancy)

const selectedRows = <Row extends InTenancy>(
  { source, linked, passes }: AclList<Row>,
  tenancy: Tenancy
): readonly Row[] => {
  const rows = linked ? linked(tenancy) : source.list(tenancy)
  return passes ? rows.filter(passes) : rows
}

const partOf = <Row extends InTenancy>(
  { source, linked }: AclList<Row>,
  tenancy: Tenancy,
  name: string
): PagePart<Row> =>
  linked
    ? sortedPart(linked(tenancy), row => source.pageKey(row), name)
    : { name, behind: after => source.behind(tenancy, after) }

const readPage = <Row extends InTenancy>(
  request: RequestContext,
  list: AclList<Row>,
  page: Page
): ReadState => {
  const { views, tenancy } = request
  const { partition, namespace } = tenancy
  const isAll = namespace === ALL_NAMESPACES
  const names = isAll ? views.namespaces.list(partition).map(row => row.namespace.Name) : [namespace]
  const readableIn = new Map(names.map(name => [name, mayRead(request, { partition, namespace: name })]))
  const writableIn = new Map(names.map(name => [name, mayWrite(request, { partition, namespace: name })]))
  const { rows, isLeftOut, headers } = takePage(request, page, {
    parts: names.map(name => partOf(list, { partition, namespace: name }, isAll ? name : '')),
    keyOf: row => list.source.pageKey(row),
    passes: list.passes,
    may: row => readableIn.get(row.tenancy.namespace) === true
  })
  const entries = new JsonList(rows.length * ENTRY_BYTES)
  for (const row of rows) {
    const text = list.text(row, writableIn.get(row.tenancy.namespace) === true)
    entries.push(request.namesDefault ? withNamespace(text, row.tenancy) : text)
  }
  const indexes = names.map(name => list.source.indexOf({ partition, namespace: name }))
  const index = Math.max(isAll ? views.namespaces.indexOf(partition) : 0, ...indexes)
  const watch = isAll ? list.watch : `${list.watch}/${spaceOf(tenancy)}`
  return reading(entries.end(), index, [watch], [...filteredHeaders(request, isLeftOut), ...headers])
}

const readAllNamespaces = <Row extends InTenancy>(request: RequestContext, list: AclList<Row>): ReadState => {
  const { views } = request
  const { partition } = request.tenancy
  const entries = new JsonList()
  let isLeftOut = false
  let index = views.namespaces.indexOf(partition)
  for (const { namespace } of views.namespaces.list(partition)) {
    const tenancy = { partition, namespace: namespace.Name }
    index = Math.max(index, list.source.indexOf(tenancy))
    const rows = selectedRows(list, tenancy)
    if (rows.length === 0) continue
    if (!mayRead(request, tenancy)) isLeftOut = true
    else {
      const isWriter = mayWrite(request, tenancy)
      for (const row of rows) entries.push(withNamespace(list.text(row, isWriter), tenancy))
    }
  }
  return reading(entries.end(), index, [list.watch], filteredHeaders(request, isLeftOut))
}

const joinEntries = <Row extends InTenancy>(
  request: RequestContext,
  list: AclList<Row>,
  isWriter: boolean
): Buffer => {
  const { tenancy } = request
  const rows = selectedRows(list, tenancy)
  const entries = new JsonList(rows.length * ENTRY_BYTES)
  for (const row of rows) {
    const text = list.text(row, isWriter)
    entries.push(request.namesDefault ? withNamespace(text, tenancy) : text)
  }
  return entries.end()
}

/**
 * Reads a list of the request's namespace, or with `*` of all namespaces, by name, in which the caller has `acl:read`.
 * @throws Refusal `denied` without `acl:read` there, or with `*` in any
 */
export const readAclList = <Row extends InTenancy>(
  request: RequestContext,
  list: AclList<Row>
): ReadState => {
  request.require('acl', 'read')
  const { tenancy } = request
  const page = pageOf(request)
  if (page) return readPage(request, list, page)
  if (tenancy.namespace === ALL_NAMESPACES) return readAllNamespaces(request, list)
  const isWriter = mayWrite(request, tenancy)
  const body = list.all?.(tenancy, isWriter) ?? joinEntries(request, list, isWriter)
  return reading(body, list.source.indexOf(tenancy), [`${list.watch}/${spaceOf(tenancy)}`])
}

/** The response for a token or policy that does not exist (decisions.md 5). */
export const ACL_NOT_FOUND: RouteResponse = plain(403, aclNotFound().message)

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
  request.require('acl', 'read')
  return {
    index: source.indexOf(tenancy),
    watch: [tenancy.namespace === ALL_NAMESPACES ? watch : `${watch}/${spaceOf(tenancy)}`],
    answer: missing
  }
}

/**
 * Reads one resource or its absence. Checks the permission in the resource's own tenancy, which with `*` may be any.
 * @throws Refusal `denied`
 */
export const readAclOne = <Row extends InTenancy>(
  request: RequestContext,
  row: Row | undefined,
  resource: AclOne<Row>
): ReadState => {
  if (!row) return absent(request, resource)
  const { tenancy } = row
  const isWriter = mayWrite(request, tenancy)
  // `acl:write` includes `acl:read`.
  if (!isWriter) request.require('acl', 'read', '', tenancy)
  const text = aclText(request, resource.text(row, isWriter), tenancy)
  return reading(text, resource.source.indexOf(tenancy), [resource.watchOf(row)])
}
