import type { Authorizer } from '../../projections/acl/authorizer.js'
import type { Views } from '../../projections/read-models.js'

/** The state at an earlier index, for a time travel request. */
export interface HistoricalState {
  /** Complete only for the resources that the request needs. */
  readonly views: Views
  readonly index: number
  /** Epoch milliseconds. */
  readonly moment: number
  /** The historical permissions, where they are required in addition to the current ones. */
  readonly authorizer: Authorizer | undefined
}
