import { type Event, CLUSTER_TENANCY } from '../events/envelope.js'
import {
  prunedIndexOf,
  logRetained,
  type LogRetained,
  type Retention,
  retentionEvents,
  expirationEvents,
  type IdempotentResponsesExpired
} from '../events/retention.js'
import type { Views } from '../projections/read-models.js'
import type { Aggregate, Command } from './aggregate.js'
import { holdsChanged } from './legal-hold.js'
import { lifecycleOf } from './lifecycle.js'
import { Refusal } from './refusal.js'

/** Allows pruning the commits up to an index, which a base snapshot covers. */
type RetainLog = Command<'RetainLog', Retention & RetentionCheck>

export interface RetentionCheck {
  /** The index of the legal holds that were examined. */
  readonly checkedHolds?: number
}

const hasBase = ({ Payload }: LogRetained): boolean => /^[0-9a-f]{64}$/.test(Payload.Retention.Base)

const logLifecycle = lifecycleOf<LogRetained>({
  topic: retentionEvents.topic,
  states: { whole: { LogRetained: { retained: hasBase } }, retained: { LogRetained: { retained: hasBase } } },
  stateOf: views => (views.retainedLog.retention ? 'retained' : 'whole')
})

/** Pruned commits cannot return, so the indexes only grow. */
const decideRetention = ({ data: command }: RetainLog, views: Views, index: number): readonly Event[] => {
  const { checkedHolds, ...data } = command
  const { retention } = views.retainedLog
  const isNewer = data.Index > (retention?.Index ?? 0)
  const prunesMore = prunedIndexOf(data) > prunedIndexOf(retention)
  if (data.Index < (retention?.Index ?? 0) || (!isNewer && !prunesMore)) return []
  if (prunesMore && checkedHolds !== undefined && checkedHolds !== views.legalHolds.index)
    throw holdsChanged()
  if (prunedIndexOf(data) > data.Index)
    throw new Refusal('log.invalid', `Invalid LetGo: the base is of commit ${data.Index}`)
  if (data.Index >= index)
    throw new Refusal('log.invalid', `Invalid Index: the log ends at commit ${index - 1}`)
  return [logRetained({ ...data })]
}

export const retentionAggregate: Aggregate<RetainLog> = { lifecycle: logLifecycle, decide: decideRetention }

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
