// How a request with an idempotency key writes: the first one keeps its answer, a repeated one gives that again.
import type { Commit } from '../../../events/envelope.js'
import type { IdempotentResponse } from '../../../events/idempotent-response.js'
import type { Authority } from '../../../projections/acl/resolver.js'
import type { RouteResponse } from '../response.js'

/** How a request writes. */
export interface KeyedWrite {
  /** The authority with which the request is handled. */
  watch(authority: Authority): Authority
  /**
   * @param send decides, and has the answer kept that `keep` makes if there is a commit
   * @param answerOf what was decided
   */
  write<Decided extends { readonly commit: Commit | undefined }>(
    send: (keep: (decided: Decided) => IdempotentResponse) => Decided,
    answerOf: (decided: Decided) => RouteResponse
  ): RouteResponse
}
