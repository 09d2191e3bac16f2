// Lists without the entries that the caller may not read (spec: acl.md §12).
import type { RequestContext } from '../request-context.js'

type Caller = Pick<RequestContext, 'presentedSecret'>

/** The entries of a list that the caller may read. */
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
