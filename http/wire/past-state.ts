// What a request for an earlier index looks at.
import type { Views } from '../../projections/views.js'

/** What there was at an earlier index. */
export interface PastState {
  /** All that the request can show, and perhaps nothing else. */
  readonly views: Views
  /** Epoch milliseconds. */
  readonly moment: number
}
