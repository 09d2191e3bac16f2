// A change set before and after its decision.
import type { ChangeOutcome, ChangeStep, ChangeTarget } from '../../../actors/change-set/change-set-draft.js'
import type { Refusal } from '../../../actors/refusal.js'
import type { Cause, Event } from '../../../events/envelope.js'
import type { RevertWrite } from '../events/revert/revert-requests.js'

export interface PlannedChange {
  readonly target: ChangeTarget
  /** In the request; undefined for a change that is not declared there. */
  readonly position?: number
  /** Returns the request that makes the change. @throws Refusal `invalid` */
  readonly requestOf: (before: Event | undefined) => RevertWrite
  /** Checks a permission that the request checks only after a look-up. @throws Refusal `denied` */
  readonly permit?: () => void
}

export interface ChangeSet {
  readonly id: string
  readonly owner: string | undefined
  readonly changes: readonly PlannedChange[]
  readonly isDryRun: boolean
  /** The commits that it reverts, in ascending order. */
  readonly reverts?: readonly number[]
  readonly cause?: Cause
}

/** A change after its decision, or its refusal. */
export type ChangeResult = Pick<PlannedChange, 'target' | 'position'> &
  ({ readonly step: ChangeStep; readonly outcome: ChangeOutcome } | { readonly refusal: Refusal })

/** A change with its part of the response to a dry run, as JSON. */
export type ShownResult = ChangeResult & { readonly json: string }
