import type { Commit } from '../../../events/envelope.js'
import type { IdempotentResponse } from '../../../events/idempotent-response.js'
import type { Authority } from '../../../projections/acl/resolver.js'
import type { RouteResponse } from '../response.js'

/** How a request with an idempotency key writes: the first stores its response, a repeat returns the stored one. */
export interface KeyedWrite {
  /** The authority with which the request is handled. */
  watch(authority: Authority): Authority
  /**
   * @param send decides, and stores the response that `keep` creates if there is a commit
   * @param answerOf creates the response to a decision
   */
  write<Decided extends { readonly commit: Commit | undefined }>(
    send: (keep: (decided: Decided) => IdempotentResponse) => Decided,
    answerOf: (decided: Decided) => RouteResponse
  ): RouteResponse
}
