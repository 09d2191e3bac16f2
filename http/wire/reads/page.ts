// Pagination: `limit=N` sets the page size, `after=` the position, and the header `Link` names the next page (RFC 8288). Pages are ordered
// by keys that never change, so a walk over all pages visits every resource that exists throughout exactly once.
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { byText } from '../../../projections/row-table.js'
import { runAtOnce, StepPace, type Steps } from '../../../projections/steps.js'
import { sortedByText } from '../../../projections/sorted-steps.js'
import type { RequestContext } from '../request-context.js'
import { filteredHeaders, type Readable } from './filter.js'

/** Parameters that select a page, or are specific to one request. Secrets must not appear in links. */
const OWN = ['before', 'after', 'index', 'wait', 'token'] as const

export const linkTo = (
  request: RequestContext,
  page: Readonly<Partial<Record<'before' | 'after', string>>>
): string => {
  const url = new URL(request.url, 'http://any')
  for (const other of OWN) url.searchParams.delete(other)
  for (const [name, value] of Object.entries(page)) url.searchParams.set(name, value)
  return `<${url.pathname}${url.search}>`
}

const FORM = /^[1-9]\d{0,8}$/

export const pageLimit = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 999_999_999, description })

export const PAGES = {
  limit: pageLimit('The most elements of the answer; the header Link leads to the next ones'),
  after: 'Only what comes after this one, as the header Link of the page before says it'
} as const

export interface Page {
  readonly limit: number
  readonly after: string | undefined
}

/** @throws Refusal `invalid` */
export const pageOf = ({ query }: Pick<RequestContext, 'query'>): Page | undefined => {
  const limit = query.filled('limit')
  const after = query.filled('after')
  if (limit === undefined && after === undefined) return undefined
  if (limit !== undefined && !FORM.test(limit))
    throw invalid('read.invalid', `Invalid limit "${limit}": it must be a whole number from 1 to 999999999`)
  return { limit: limit === undefined ? Infinity : Number(limit), after }
}

/** A decoded cursor: a part of the list, if it has parts, and a key in it. The components of keys are separated by NUL. */
interface Place {
  readonly part: string
  readonly key: string
}

const NUL = '\0'

const cursorOf = ({ part, key }: Place, hasParts: boolean): string =>
  [...(hasParts ? [part] : []), ...key.split(NUL)].map(encodeURIComponent).join('/')

/** @throws Refusal `invalid` */
const placeOf = (after: string, hasParts: boolean): Place => {
  const texts = after.split('/').map(text => {
    try {
      return decodeURIComponent(text)
    } catch {
      throw invalid('read.invalid', `Invalid after "${after}": take it from the Link of the page before`)
    }
  })
  const [part = '', ...rest] = texts
  return hasParts ? { part, key: rest.join(NUL) } : { part: '', key: texts.join(NUL) }
}

export interface PagePart<Row> {
  readonly name: string
  /** Returns the rows after a key, or all, in the order of their keys. They must not change meanwhile. */
  readonly behind: (key: string | undefined) => Iterable<Row>
  /** True if `behind` returns all rows in no order, which are sorted for each page. */
  readonly isUnordered?: boolean
}

interface PagedList<Row> {
  /** A single part with an empty name, or any number of named parts. */
  readonly parts: readonly PagePart<Row>[]
  readonly keyOf: (row: Row) => string
  /** @param pace counts what takes longer than a row */
  readonly passes?: ((row: Row, pace: StepPace) => boolean) | undefined
  readonly may?: (row: Row) => boolean
}

interface PageRows<Row> {
  readonly rows: readonly Row[]
  /** True if rows of this page were left out for lack of permission. */
  readonly isLeftOut: boolean
  /** The link to the next page, if there is one: names and values in turn. */
  readonly headers: readonly string[]
}

const linkAfter = (request: RequestContext, cursor: string): readonly string[] => [
  'Link',
  `${linkTo(request, { after: cursor })}; rel="next"`
]

/**
 * Selects the rows of a page that the caller may read. Costs the rows returned and skipped, and the seek in the first part.
 * @throws Refusal `denied` for an unknown token, `invalid` for a malformed cursor
 */
export const takePage = <Row>(
  request: RequestContext,
  { limit, after: cursor }: Page,
  { parts, keyOf, passes, may }: PagedList<Row>
): Steps<PageRows<Row>> => {
  request.requireToken()
  const hasParts = parts.length !== 1 || parts[0]?.name !== ''
  const from = cursor === undefined ? undefined : placeOf(cursor, hasParts)
  // Each part holds its rows in the present state.
  const rowsOf = parts
    .toSorted((a, b) => byText(a.name, b.name))
    .filter(({ name }) => !from || name >= from.part)
    .map(({ name, behind, isUnordered = false }) => {
      const after = from?.part === name ? from.key : undefined
      return { name, rows: behind(after), isUnordered, after }
    })
  const take = function* (): Steps<PageRows<Row>> {
    const pace = new StepPace()
    const taken: Row[] = []
    let [isLeftOut, last] = [false, '']
    for (const { name, rows, isUnordered, after } of rowsOf)
      for (const row of isUnordered ? yield* sortedByText(rows, keyOf) : rows) {
        if (pace.isOver()) yield
        if (isUnordered && after !== undefined && keyOf(row) <= after) continue
        if (passes && !passes(row, pace)) continue
        if (may && !may(row)) {
          isLeftOut = true
          continue
        }
        if (taken.length === limit) return { rows: taken, isLeftOut, headers: linkAfter(request, last) }
        taken.push(row)
        last = cursorOf({ part: name, key: keyOf(row) }, hasParts)
      }
    return { rows: taken, isLeftOut, headers: [] }
  }
  return take()
}

export interface CompleteOrPaged<Row> extends PagedList<Row> {
  /** Returns all rows in the present state, in the order of unpaginated lists. Default: those of the parts, one after another. */
  readonly all?: () => Iterable<Row>
  /** Sorts the rows of unpaginated lists, if they are in no order. */
  readonly sortsBy?: ((row: Row) => string) | undefined
  readonly may: (row: Row) => boolean
}

function* concatenated<Row>(lists: readonly Iterable<Row>[]): Iterable<Row> {
  for (const rows of lists) yield* rows
}

/** Returns the rows of an unpaginated list in the present state. */
export const allRows = <Row>({ all, parts }: Pick<CompleteOrPaged<Row>, 'all' | 'parts'>): Iterable<Row> => {
  if (all) return all()
  const lists = parts.map(({ behind }) => behind(undefined))
  const [only] = lists
  return only && lists.length === 1 ? only : concatenated(lists)
}

interface ReadableRows<Row> extends Readable<Row> {
  /** True if rows were left out for lack of permission. */
  readonly isLeftOut: boolean
}

/** The rows that pass. `isLeftOut`: some of all rows were left out for lack of permission, whether they pass or not. */
function* takeAll<Row>(
  rows: Iterable<Row>,
  { passes, may, sortsBy }: Pick<CompleteOrPaged<Row>, 'passes' | 'may' | 'sortsBy'>
): Steps<PageRows<Row>> {
  const pace = new StepPace()
  const taken: Row[] = []
  let isLeftOut = false
  for (const row of rows) {
    if (pace.isOver()) yield
    if (!may(row)) isLeftOut = true
    else if (!passes || passes(row, pace)) taken.push(row)
  }
  return { rows: sortsBy ? yield* sortedByText(taken, sortsBy) : taken, isLeftOut, headers: [] }
}

/**
 * Returns the requested rows that the caller may read, with the headers about filtering and the next page.
 * @throws Refusal `denied` for an unknown token, even if there are no entries; `invalid` for a malformed page
 */
export const readableSteps = <Row>(
  request: RequestContext,
  list: CompleteOrPaged<Row>
): Steps<ReadableRows<Row>> => {
  const page = pageOf(request)
  request.requireToken()
  const taken = page ? takePage(request, page, list) : takeAll(allRows(list), list)
  return (function* (): Steps<ReadableRows<Row>> {
    const { rows, isLeftOut, headers } = yield* taken
    return { entries: rows, isLeftOut, headers: [...filteredHeaders(request, isLeftOut), ...headers] }
  })()
}

/** Returns the same at once, for lists that are short. */
export const readableRows = <Row>(request: RequestContext, list: CompleteOrPaged<Row>): Readable<Row> =>
  runAtOnce(readableSteps(request, list))

/** Creates a part of unordered rows, which never change. */
export const unorderedPart = <Row>(rows: Iterable<Row>, name = ''): PagePart<Row> => ({
  name,
  behind: () => rows,
  isUnordered: true
})
