// Transactions change things of many aggregates: they have no lifecycle of their own, only a decision.
import type { Event } from '../../events/envelope.js'
import type { Views } from '../../projections/views.js'
import type { Decider } from '../aggregate.js'
import type { ApplyTransaction } from './commands.js'
import { decideTransaction } from './decide.js'
import type { Result } from './operation.js'

/** Decides one transaction and keeps what its operations have to show. One for each request. */
export class TransactionDecider implements Decider<ApplyTransaction> {
  /** Each operation has a tenancy of its own, which is looked at with it. */
  readonly scope = 'cluster'
  #results: readonly Result[] = []

  /** Empty before the decision. */
  get results(): readonly Result[] {
    return this.#results
  }

  decide(command: ApplyTransaction, views: Views, index: number): readonly Event[] {
    const outcome = decideTransaction(command, views, index)
    this.#results = outcome.results
    return outcome.events
  }
}
