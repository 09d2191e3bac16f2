// Lists in pages: `limit=N` is how many, `after=` where to go on, and the header `Link` leads to the next page (RFC 8288).
//
// A page goes by keys that stay the same as long as a thing is there, so that a walk over all pages meets once whatever was there
// from its beginning to its end, however much else is written meanwhile.
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { byText } from '../../../projections/row-table.js'
import type { RequestContext } from '../request-context.js'
import { filteredHeaders, readable, type Readable } from './filtered.js'
import { linkTo } from './link.js'

const FORM = /^[1-9]\d{0,8}$/

/** The parameter that says how many elements a page has. */
export const pageLimit = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 999_999_999, description })

/** The parameters of a list in pages. */
export const PAGES = {
  limit: pageLimit('The most elements of the answer; the header Link leads to the next ones'),
  after: 'Only what comes after this one, as the header Link of the page before says it'
} as const

/** Which page of a list a request asks for. */
export interface Page {
  /** Number of elements; Infinity for all. */
  readonly limit: number
  readonly after: string | undefined
}

/** @throws Refusal `invalid` */
export const pageOf = ({ query }: RequestContext): Page | undefined => {
  const limit = query.filled('limit')
  const after = query.filled('after')
  if (limit === undefined && after === undefined) return undefined
  if (limit !== undefined && !FORM.test(limit))
    throw invalid(`Invalid limit "${limit}": it must be a whole number from 1 to 999999999`)
  return { limit: limit === undefined ? Infinity : Number(limit), after }
}

/** What a cursor says: of which part of a list, if it has parts, and the key in it. Parts of keys are told apart by NUL. */
interface Place {
  readonly part: string
  readonly key: string
}

const NUL = '\0'

/** Of a list in parts the name of the part comes first. */
const cursorOf = ({ part, key }: Place, hasParts: boolean): string =>
  [...(hasParts ? [part] : []), ...key.split(NUL)].map(encodeURIComponent).join('/')

/** @throws Refusal `invalid` */
const placeOf = (after: string, hasParts: boolean): Place => {
  const texts = after.split('/').map(text => {
    try {
      return decodeURIComponent(text)
    } catch {
      throw invalid(`Invalid after "${after}": take it from the Link of the page before`)
    }
  })
  const [part = '', ...rest] = texts
  return hasParts ? { part, key: rest.join(NUL) } : { part: '', key: texts.join(NUL) }
}

/** One part of a list: what is in one namespace, or of one kind. */
export interface PagePart<Row> {
  /** Its name, which the parts go by. */
  readonly name: string
  /** Its rows behind a key, or all, in the order of their keys. Nothing is changed meanwhile. */
  readonly behind: (key: string | undefined) => Iterable<Row>
}

/** What a list is made of. */
interface PagedList<Row> {
  /** One without a name, or any number with names. */
  readonly parts: readonly PagePart<Row>[]
  readonly keyOf: (row: Row) => string
  /** Whether the request asks for a row. */
  readonly passes?: ((row: Row) => boolean) | undefined
  /** Whether the caller may see it. */
  readonly may?: (row: Row) => boolean
}

/** The rows of a page. */
interface PageRows<Row> {
  readonly rows: readonly Row[]
  /** Whether rights kept back some that would stand here. */
  readonly isLeftOut: boolean
  /** For the answer: where the next page is, if there is one. Names and values in turn. */
  readonly headers: readonly string[]
}

const linkAfter = (request: RequestContext, cursor: string): readonly string[] => [
  'Link',
  `${linkTo(request, { after: cursor })}; rel="next"`
]

/**
 * The rows of a page: the first ones behind its place that the caller may see. Costs the rows taken and those passed over, and what
 * beginning in the middle of a part costs there.
 * @throws Refusal `denied` when the token presented is unknown, `invalid` for a place that cannot be one
 */
export const takePage = <Row>(
  request: RequestContext,
  { limit, after }: Page,
  { parts, keyOf, passes, may }: PagedList<Row>
): PageRows<Row> => {
  request.requireToken()
  const hasParts = parts.length !== 1 || parts[0]?.name !== ''
  const from = after === undefined ? undefined : placeOf(after, hasParts)
  const rows: Row[] = []
  let [isLeftOut, last] = [false, '']
  for (const { name, behind } of parts.toSorted((a, b) => byText(a.name, b.name))) {
    if (from && name < from.part) continue
    for (const row of behind(from?.part === name ? from.key : undefined)) {
      if (passes && !passes(row)) continue
      if (may && !may(row)) {
        isLeftOut = true
        continue
      }
      if (rows.length === limit) return { rows, isLeftOut, headers: linkAfter(request, last) }
      rows.push(row)
      last = cursorOf({ part: name, key: keyOf(row) }, hasParts)
    }
  }
  return { rows, isLeftOut, headers: [] }
}

/** What a list shows: the page that the request asks for, or all that it has. */
export interface CompleteOrPaged<Row> extends PagedList<Row> {
  /** All rows in the order of lists. */
  readonly all: () => readonly Row[]
  readonly may: (row: Row) => boolean
}

/**
 * What of a list the caller sees, with the headers that tell what was left out and where the next page is.
 * @throws Refusal `denied` when the token presented is unknown, also when there are no entries; `invalid` for a page that cannot be one
 */
export const readableRows = <Row>(request: RequestContext, list: CompleteOrPaged<Row>): Readable<Row> => {
  const page = pageOf(request)
  if (!page) {
    const { entries, headers } = readable(request, list.all(), list.may)
    return { entries: list.passes ? entries.filter(list.passes) : entries, headers }
  }
  const { rows, isLeftOut, headers } = takePage(request, page, list)
  return { entries: rows, headers: [...filteredHeaders(request, isLeftOut), ...headers] }
}

/** A part whose rows stand in no useful order. Costs the sorting of all that are behind the key. */
export const sortedPart = <Row>(
  rows: Iterable<Row>,
  keyOf: (row: Row) => string,
  name = ''
): PagePart<Row> => ({
  name,
  behind: after => {
    const keyed = Array.from(rows, row => ({ row, key: keyOf(row) }))
    const behind = after === undefined ? keyed : keyed.filter(({ key }) => key > after)
    return behind.toSorted((a, b) => byText(a.key, b.key)).map(({ row }) => row)
  }
})
