// Lists from which entries are left out for lack of rights, and the header that tells so (spec: acl.md §12).
import type { RequestContext } from '../request-context.js'

type Asking = Pick<RequestContext, 'presentedSecret'>

/** What of a list the caller may see. */
export interface Readable<T> {
  readonly entries: readonly T[]
  /** For the answer: names and values in turn. */
  readonly headers: readonly string[]
}

const NONE: readonly string[] = []
const LEFT_OUT: readonly string[] = ['X-Service-Results-Filtered-By-ACLs', 'true']

/**
 * The header for an answer from which something was left out: `true`, never `false`. A request without a token is not
 * told, so that nobody learns from outside that there is something.
 */
export const filteredHeaders = (request: Asking, isLeftOut: boolean): readonly string[] =>
  isLeftOut && request.presentedSecret !== undefined ? LEFT_OUT : NONE

/**
 * The entries that `may` lets through, in their order, with the header if it kept any back. Calls `may` once for each.
 * @throws Refusal `denied` when the token presented is unknown, also when there are no entries
 */
export const readable = <T>(
  request: Asking & Pick<RequestContext, 'requireToken'>,
  entries: readonly T[],
  may: (entry: T) => boolean
): Readable<T> => {
  request.requireToken()
  const kept = entries.filter(may)
  return kept.length === entries.length
    ? { entries, headers: NONE }
    : { entries: kept, headers: filteredHeaders(request, true) }
}
