// Decides a transaction: every operation is tried on a draft, and the draft is kept only if all succeed (state.md §3.3).
import { isConfigEntryEvent } from '../../events/config-entry.js'
import type { Event } from '../../events/envelope.js'
import { faultsOf } from '../../projections/config/checks.js'
import { Draft } from '../../projections/models.js'
import type { Views } from '../../projections/views.js'
import { DraftStage } from '../catalog/stage.js'
import { Refusal } from '../refusal.js'
import { whyNotWritable } from '../tenancy-guard.js'
import { actOf, type ApplyTransaction } from './commands.js'
import type { Act, Result, Scene } from './operation.js'

/** Why one operation failed. */
export interface OperationError {
  /** Position among the operations. */
  readonly OpIndex: number
  readonly What: string
  readonly Code: string
}

/** At least one operation failed, so that nothing happens. */
export class TransactionRefused extends Refusal {
  readonly errors: readonly OperationError[]

  constructor(errors: readonly OperationError[]) {
    super('conflict', `The transaction was rolled back: ${errors.map(({ What }) => What).join('; ')}`)
    this.errors = errors
  }
}

/** What a transaction comes to: nothing to append when it only reads. */
export interface TransactionOutcome {
  readonly events: readonly Event[]
  readonly results: readonly Result[]
}

/** Does something for each operation and collects what fails. @throws TransactionRefused */
const each = (acts: readonly Act[], attempt: (act: Act, OpIndex: number) => void): void => {
  const errors: OperationError[] = []
  acts.forEach((act, OpIndex) => {
    try {
      attempt(act, OpIndex)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      errors.push({ OpIndex, What: error.message, Code: error.code ?? 'invalid' })
    }
  })
  if (errors.length > 0) throw new TransactionRefused(errors)
}

/** Checks that entries fit together, once for the whole batch; each fault counts as the last operation's on entries. */
const checkEntries = ({ draft, entryChanges, stage }: Scene, OpIndex: number): void => {
  if (entryChanges.size === 0) return
  const faults = faultsOf(draft.config, [...entryChanges.values()], stage.datacenter)
  if (faults.length > 0)
    throw new TransactionRefused(faults.map(What => ({ OpIndex, What, Code: 'invalid' })))
}

/**
 * What is wrong with any operation by itself is found before anything is tried; then all are tried in their order, each
 * seeing the effects of those before. Cost: that of the operations, whatever the size of the state.
 * @param index that the commit will have
 * @throws TransactionRefused with every failure
 */
export const decideTransaction = (
  { data: { operations, rights }, at }: ApplyTransaction,
  views: Views,
  index: number
): TransactionOutcome => {
  const acts = operations.map(actOf)
  const draft = new Draft(views)
  const stage = new DraftStage(draft, { index, at, datacenter: views.settings.datacenter })
  const scene: Scene = {
    draft,
    stage,
    rights,
    namespaces: views.namespaces,
    partitions: views.partitions,
    entryChanges: new Map()
  }
  each(acts, act => {
    const kind = act.isRemoval ? 'deletion' : 'change'
    const why = act.isWrite ? whyNotWritable(act.tenancy, act.scope ?? 'namespace', kind, views) : undefined
    if (why) throw why
    act.check(scene)
  })
  const results: Result[] = []
  let lastOfEntries = 0
  each(acts, (act, OpIndex) => {
    const before = stage.events.length
    for (const result of act.apply(scene)) results.push(result)
    if (stage.events.slice(before).some(isConfigEntryEvent)) lastOfEntries = OpIndex
  })
  checkEntries(scene, lastOfEntries)
  return { events: stage.events, results }
}
