// Things of the ACL system in one namespace, or with `*` in all of a partition that the caller may read them in
// (spec: tenancy.md §5.2, §8).
import type { Tenancy } from '../events/envelope.js'
import { spaceOf } from '../projections/table.js'
import type { WatchKey } from '../projections/watch.js'
import { plain } from './answer.js'
import { reading, type Reading } from './blocking.js'
import { filteredHeaders } from './filtered.js'
import { JsonList } from './json-list.js'
import type { ApiRequest } from './request.js'
import { ALL_NAMESPACES } from './tenancy.js'

/** About how many bytes an entry has. */
const ENTRY_BYTES = 512

interface InTenancy {
  readonly tenancy: Tenancy
}

/** The read model of the things, as far as lists and reads need it. */
interface Source {
  /** Index of the last change in a tenancy. */
  indexOf(tenancy: Tenancy): number
}

/** What a list is of. */
export interface AclList<Row extends InTenancy> {
  readonly source: Source
  /** Watch key of any change; with `/<partition>/<namespace>` behind it, of changes there. */
  readonly watch: string
  list(tenancy: Tenancy): readonly Row[]
  /** The entry's JSON object. */
  text(row: Row, mayWrite: boolean): string
  /** The whole list of a tenancy, where it is kept. */
  readonly all?: (tenancy: Tenancy, mayWrite: boolean) => Buffer
}

const mayRead = (request: ApiRequest, tenancy: Tenancy): boolean => request.may('acl', 'read', '', tenancy)
const mayWrite = (request: ApiRequest, tenancy: Tenancy): boolean => request.may('acl', 'write', '', tenancy)

/** In an answer about all namespaces every element says where it is, also in `default`. */
const withNamespace = (text: string, { namespace }: Tenancy): string =>
  namespace === 'default' ? `${text.slice(0, -1)},"Namespace":"default"}` : text

const inAll = <Row extends InTenancy>(request: ApiRequest, of: AclList<Row>): Reading => {
  const { views } = request.app
  const { partition } = request.tenancy
  const entries = new JsonList()
  let isLeftOut = false
  let index = views.namespaces.indexOf(partition)
  for (const { namespace } of views.namespaces.list(partition)) {
    const tenancy = { partition, namespace: namespace.Name }
    index = Math.max(index, of.source.indexOf(tenancy))
    const rows = of.list(tenancy)
    if (rows.length === 0) continue
    if (!mayRead(request, tenancy)) isLeftOut = true
    else {
      const isWriter = mayWrite(request, tenancy)
      for (const row of rows) entries.push(withNamespace(of.text(row, isWriter), tenancy))
    }
  }
  return reading(entries.end(), index, [of.watch], filteredHeaders(request, isLeftOut))
}

const joined = <Row extends InTenancy>(of: AclList<Row>, tenancy: Tenancy, isWriter: boolean): Buffer => {
  const rows = of.list(tenancy)
  const entries = new JsonList(rows.length * ENTRY_BYTES)
  for (const row of rows) entries.push(of.text(row, isWriter))
  return entries.end()
}

/**
 * A list of the request's namespace; with `*` of all namespaces, by name, in which the caller has `acl:read`.
 * @throws Refusal `denied` without `acl:read` there, or with `*` in any
 */
export const readAclList = <Row extends InTenancy>(request: ApiRequest, of: AclList<Row>): Reading => {
  request.require('acl', 'read')
  const { tenancy } = request
  if (tenancy.namespace === ALL_NAMESPACES) return inAll(request, of)
  const isWriter = mayWrite(request, tenancy)
  const body = of.all?.(tenancy, isWriter) ?? joined(of, tenancy, isWriter)
  return reading(body, of.source.indexOf(tenancy), [`${of.watch}/${spaceOf(tenancy)}`])
}

/** What the reading of one thing needs. */
export interface AclOne<Row extends InTenancy> {
  readonly source: Pick<Source, 'indexOf'>
  readonly watch: WatchKey
  /** The answer. */
  text(row: Row, mayWrite: boolean): string
}

/**
 * The reading of one thing, with the right to read it checked where it is: with `*` it may be anywhere.
 * @throws Refusal `denied`
 */
export const readAclOne = <Row extends InTenancy>(
  request: ApiRequest,
  row: Row,
  of: AclOne<Row>
): Reading => {
  const { tenancy } = row
  request.require('acl', 'read', '', tenancy)
  const text = of.text(row, mayWrite(request, tenancy))
  const isOfAll = request.tenancy.namespace === ALL_NAMESPACES
  return reading(isOfAll ? withNamespace(text, tenancy) : text, of.source.indexOf(tenancy), [of.watch])
}

/**
 * The reading of one thing that is not there, by which one can wait for it to come.
 * @param watch watch key of any change of such things; with `/<partition>/<namespace>` behind it, of changes there
 */
export const readAclNone = (
  { tenancy }: ApiRequest,
  of: { readonly source: Pick<Source, 'indexOf'>; readonly watch: string },
  text: string
): Reading => ({
  index: of.source.indexOf(tenancy),
  watch: [tenancy.namespace === ALL_NAMESPACES ? of.watch : `${of.watch}/${spaceOf(tenancy)}`],
  answer: plain(404, text)
})
