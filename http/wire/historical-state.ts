// What a request for an earlier index looks at.
import type { Authorizer } from '../../projections/acl/authorizer.js'
import type { Views } from '../../projections/read-models.js'

/** What there was at an earlier index. */
export interface HistoricalState {
  /** All that the request can show, and perhaps nothing else. */
  readonly views: Views
  readonly index: number
  /** Epoch milliseconds. */
  readonly moment: number
  /** What was granted then, where that counts besides what is granted now. */
  readonly authorizer: Authorizer | undefined
}
