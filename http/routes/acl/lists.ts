// Things of the ACL system in one namespace, or with `*` in all of a partition that the caller may read them in
// (spec: tenancy.md §5.2, §8).
import { aclNotFound } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import { spaceOf } from '../../../projections/table.js'
import type { WatchKey } from '../../../projections/watch.js'
import { plain, type RouteResponse } from '../../wire/response.js'
import { reading, type ReadState } from '../../wire/reads/blocking.js'
import { filteredHeaders } from '../../wire/reads/filter.js'
import { JsonList } from '../../wire/reads/json-list.js'
import { pageOf, sortedPart, takePage, type Page, type PagePart } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { aclText, withNamespace } from '../../wire/namespace-view.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

/** About how many bytes an entry has. */
const ENTRY_BYTES = 512

interface InTenancy {
  readonly tenancy: Tenancy
}

/** The read model of the things, as far as reads of one need it. */
interface Source {
  /** Index of the last change in a tenancy. */
  indexOf(tenancy: Tenancy): number
}

/** The read model of the things, as far as lists need it. */
interface ListSource<Row> extends Source {
  list(tenancy: Tenancy): readonly Row[]
  behind(tenancy: Tenancy, after: string | undefined): Iterable<Row>
  pageKey(row: Row): string
}

/** What a list is of. */
interface AclList<Row extends InTenancy> {
  readonly source: ListSource<Row>
  /** Watch key of any change; with `/<partition>/<namespace>` behind it, of changes there. */
  readonly watch: string
  /** The rows of a tenancy that a request picks by a link, in the order of lists; absent where it picks none so. */
  readonly linked?: ((tenancy: Tenancy) => readonly Row[]) | undefined
  /** Whether the request asks for a row; absent for all. */
  readonly passes?: ((row: Row) => boolean) | undefined
  /** The entry's JSON object. */
  text(row: Row, mayWrite: boolean): string
  /** The whole list of a tenancy, where it is kept. */
  readonly all?: (tenancy: Tenancy, mayWrite: boolean) => Buffer
}

const mayRead = (request: RequestContext, tenancy: Tenancy): boolean =>
  request.may('acl', 'read', '', tenancy)
const mayWrite = (request: RequestContext, tenancy: Tenancy): boolean =>
  request.may('acl', 'write', '', tenancy)

/** The rows of a tenancy that a list asks for, in its order. */
const listed = <Row extends InTenancy>(
  { source, linked, passes }: AclList<Row>,
  tenancy: Tenancy
): readonly Row[] => {
  const rows = linked ? linked(tenancy) : source.list(tenancy)
  return passes ? rows.filter(passes) : rows
}

/** The rows of a tenancy as a part of a list in pages. */
const partOf = <Row extends InTenancy>(
  { source, linked }: AclList<Row>,
  tenancy: Tenancy,
  name: string
): PagePart<Row> =>
  linked
    ? sortedPart(linked(tenancy), row => source.pageKey(row), name)
    : { name, behind: after => source.behind(tenancy, after) }

/** A page of a list, of one namespace or of all. */
const inPages = <Row extends InTenancy>(request: RequestContext, of: AclList<Row>, page: Page): ReadState => {
  const { views, tenancy } = request
  const { partition, namespace } = tenancy
  const isOfAll = namespace === ALL_NAMESPACES
  const names = isOfAll ? views.namespaces.list(partition).map(row => row.namespace.Name) : [namespace]
  const readableIn = new Map(names.map(name => [name, mayRead(request, { partition, namespace: name })]))
  const writableIn = new Map(names.map(name => [name, mayWrite(request, { partition, namespace: name })]))
  const { rows, isLeftOut, headers } = takePage(request, page, {
    parts: names.map(name => partOf(of, { partition, namespace: name }, isOfAll ? name : '')),
    keyOf: row => of.source.pageKey(row),
    passes: of.passes,
    may: row => readableIn.get(row.tenancy.namespace) === true
  })
  const entries = new JsonList(rows.length * ENTRY_BYTES)
  for (const row of rows) {
    const text = of.text(row, writableIn.get(row.tenancy.namespace) === true)
    entries.push(request.namesDefault ? withNamespace(text, row.tenancy) : text)
  }
  const indexes = names.map(name => of.source.indexOf({ partition, namespace: name }))
  const index = Math.max(isOfAll ? views.namespaces.indexOf(partition) : 0, ...indexes)
  const watch = isOfAll ? of.watch : `${of.watch}/${spaceOf(tenancy)}`
  return reading(entries.end(), index, [watch], [...filteredHeaders(request, isLeftOut), ...headers])
}

const inAll = <Row extends InTenancy>(request: RequestContext, of: AclList<Row>): ReadState => {
  const { views } = request
  const { partition } = request.tenancy
  const entries = new JsonList()
  let isLeftOut = false
  let index = views.namespaces.indexOf(partition)
  for (const { namespace } of views.namespaces.list(partition)) {
    const tenancy = { partition, namespace: namespace.Name }
    index = Math.max(index, of.source.indexOf(tenancy))
    const rows = listed(of, tenancy)
    if (rows.length === 0) continue
    if (!mayRead(request, tenancy)) isLeftOut = true
    else {
      const isWriter = mayWrite(request, tenancy)
      for (const row of rows) entries.push(withNamespace(of.text(row, isWriter), tenancy))
    }
  }
  return reading(entries.end(), index, [of.watch], filteredHeaders(request, isLeftOut))
}

const joined = <Row extends InTenancy>(
  request: RequestContext,
  of: AclList<Row>,
  isWriter: boolean
): Buffer => {
  const { tenancy } = request
  const isNamed = request.namesDefault
  const rows = listed(of, tenancy)
  const entries = new JsonList(rows.length * ENTRY_BYTES)
  for (const row of rows) {
    const text = of.text(row, isWriter)
    entries.push(isNamed ? withNamespace(text, tenancy) : text)
  }
  return entries.end()
}

/**
 * A list of the request's namespace; with `*` of all namespaces, by name, in which the caller has `acl:read`.
 * @throws Refusal `denied` without `acl:read` there, or with `*` in any
 */
export const readAclList = <Row extends InTenancy>(request: RequestContext, of: AclList<Row>): ReadState => {
  request.require('acl', 'read')
  const { tenancy } = request
  const page = pageOf(request)
  if (page) return inPages(request, of, page)
  if (tenancy.namespace === ALL_NAMESPACES) return inAll(request, of)
  const isWriter = mayWrite(request, tenancy)
  const body = of.all?.(tenancy, isWriter) ?? joined(request, of, isWriter)
  return reading(body, of.source.indexOf(tenancy), [`${of.watch}/${spaceOf(tenancy)}`])
}

/** What is said of a token or policy that is not there (decisions.md 5). */
export const ACL_NOT_FOUND: RouteResponse = plain(403, aclNotFound().message)

/** What the reading of one thing needs. */
interface AclOne<Row extends InTenancy> {
  readonly source: Source
  /** Watch key of any change of such things; with `/<partition>/<namespace>` behind it, of changes there. */
  readonly watch: string
  /** Watch key of changes of the one. */
  readonly watchOf: (row: Row) => WatchKey
  /** The one's JSON object. */
  text(row: Row, mayWrite: boolean): string
  /** What is said when it is not there. */
  readonly missing: RouteResponse
}

/** One that is not there: by this reading one can wait for it to come. */
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
 * The reading of one thing, or of its absence, with the right to read it checked where it is: with `*` it may be anywhere.
 * @throws Refusal `denied`
 */
export const readAclOne = <Row extends InTenancy>(
  request: RequestContext,
  row: Row | undefined,
  of: AclOne<Row>
): ReadState => {
  if (!row) return absent(request, of)
  const { tenancy } = row
  const isWriter = mayWrite(request, tenancy)
  // The right to write holds the one to read.
  if (!isWriter) request.require('acl', 'read', '', tenancy)
  const text = aclText(request, of.text(row, isWriter), tenancy)
  return reading(text, of.source.indexOf(tenancy), [of.watchOf(row)])
}
