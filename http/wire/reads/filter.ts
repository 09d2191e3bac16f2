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
 * The predicate that the request's `filter` asks for over values with these fields; undefined when it asks for none.
 * Of several the first counts, and an empty one is none.
 * The predicate throws a Refusal `invalid` for a value whose texts are too long for the filter's patterns.
 * @throws Refusal `invalid` for an expression that cannot be read or does not fit the fields
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

/** The predicate, whose faults are the caller's. */
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
