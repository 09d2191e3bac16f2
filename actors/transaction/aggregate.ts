// Transactions change things of many aggregates: they have no life of their own, only a decision.
import type { Decider } from '../aggregate.js'
import type { ApplyTransaction } from './commands.js'
import { decideTransaction } from './decide.js'
import type { Result } from './operation.js'

/** Decides one transaction and keeps what its operations have to show. */
export interface TransactionDecider extends Decider<ApplyTransaction> {
  /** Empty before the decision. */
  readonly results: readonly Result[]
}

/** One for each request. */
export const transactionDecider = (): TransactionDecider => {
  let results: readonly Result[] = []
  return {
    // Each operation has a tenancy of its own, which is looked at with it.
    scope: 'cluster',
    get results() {
      return results
    },
    decide: (command, views, index) => {
      const outcome = decideTransaction(command, views, index)
      results = outcome.results
      return outcome.events
    }
  }
}
