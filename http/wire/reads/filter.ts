// The `filter` parameter of lists (spec: state.md §13).
import { invalid } from '../../../actors/refusal.js'
import {
  compileFilter,
  FilterError,
  parseFilter,
  type Fields,
  type Predicate
} from '../../../projections/language/filter.js'
import type { RequestContext } from '../request-context.js'

/**
 * Returns the predicate of the request's `filter`; undefined if absent or empty. Of several filters the first applies.
 * The predicate throws a Refusal `invalid` for values that are too long for the filter's patterns.
 * @throws Refusal `invalid` for a malformed expression or one that does not fit the fields
 */
export const filterOf = ({ query }: RequestContext, fields: Fields): Predicate | undefined => {
  const text = query.get('filter') ?? ''
  if (text === '') return undefined
  try {
    return refusing(compileFilter(parseFilter(text), fields))
  } catch (error) {
    throw refusalOf(error)
  }
}

/** Returns the refusal of a filter; other errors as they are. */
export const refusalOf = (error: unknown, failure = 'create boolean expression evaluator'): unknown =>
  error instanceof FilterError
    ? invalid('read.filter-invalid', `Failed to ${failure}: ${error.message}`)
    : error

const refusing =
  (passes: Predicate): Predicate =>
  value => {
    try {
      return passes(value)
    } catch (error) {
      throw refusalOf(error, 'evaluate the filter')
    }
  }

type Caller = Pick<RequestContext, 'presentedSecret'>

export interface Readable<T> {
  readonly entries: readonly T[]
  /** Response headers: names and values in turn. */
  readonly headers: readonly string[]
}

const NONE: readonly string[] = []
const LEFT_OUT: readonly string[] = ['X-Service-Results-Filtered-By-ACLs', 'true']

/**
 * Returns the header of a response from which entries were left out: `true`, never `false`. A request without a token does not get it,
 * so that unauthenticated callers cannot detect hidden entries.
 */
export const filteredHeaders = (request: Caller, isLeftOut: boolean): readonly string[] =>
  isLeftOut && request.presentedSecret !== undefined ? LEFT_OUT : NONE

/**
 * Returns the entries that `may` accepts, in order, and the header if it rejected any. Calls `may` once for each.
 * @throws Refusal `denied` for an unknown token, even if there are no entries
 */
export const readable = <T>(
  request: Caller & Pick<RequestContext, 'requireToken'>,
  entries: readonly T[],
  may: (entry: T) => boolean
): Readable<T> => {
  request.requireToken()
  const accepted = entries.filter(may)
  return { entries: accepted, headers: filteredHeaders(request, accepted.length < entries.length) }
}
