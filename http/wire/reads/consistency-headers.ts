// Headers that describe how a read was answered (spec: queries.md §1, state.md §1).
import { effectiveConsistency } from './blocking.js'
import type { RequestContext } from '../request-context.js'

/** @param backend how the server watches for changes of the result */
export const consistencyHeaders = (
  request: RequestContext,
  backend = 'blocking-query'
): readonly string[] => [
  'X-Service-Effective-Consistency',
  effectiveConsistency(request),
  'X-Service-Query-Backend',
  backend
]
