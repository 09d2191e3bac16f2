import { CLUSTER_TENANCY } from '../events/envelope.js'
import { expirationEvents, type IdempotentResponsesExpired } from '../events/idempotent-responses-expired.js'
import type { Aggregate, Command } from './aggregate.js'
import { lifecycleOf } from './lifecycle.js'

/** Expires the oldest responses up to an index, as many as one event holds. */
type ExpireResponses = Command<'ForgetAnswers', { readonly upTo: number }>

const MAX_EXPIRED = 1000

export const idempotentResponsesAggregate: Aggregate<ExpireResponses> = {
  lifecycle: lifecycleOf<IdempotentResponsesExpired>({
    topic: expirationEvents.topic,
    states: { all: { AnswersForgotten: 'recent' }, recent: { AnswersForgotten: 'recent' } },
    stateOf: ({ keptAnswers }) => (keptAnswers.forgotten.UpTo > 0 ? 'recent' : 'all')
  }),
  removals: ['ForgetAnswers'],
  decide: ({ data }, { keptAnswers }) => {
    const Indexes = keptAnswers.oldest(data.upTo, MAX_EXPIRED)
    const UpTo = Indexes.at(-1)
    return UpTo === undefined
      ? []
      : [expirationEvents.create('AnswersForgotten', CLUSTER_TENANCY, { UpTo, Indexes })]
  }
}
