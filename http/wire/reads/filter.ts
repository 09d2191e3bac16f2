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
    if (error instanceof FilterError)
      throw invalid(`Failed to create boolean expression evaluator: ${error.message}`)
    throw error
  }
}

const refusing =
  (passes: Predicate): Predicate =>
  value => {
    try {
      return passes(value)
    } catch (error) {
      if (error instanceof FilterError) throw invalid(`Failed to evaluate the filter: ${error.message}`)
      throw error
    }
  }
