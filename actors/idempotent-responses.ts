// The answers that the log keeps for repeated writes, which are forgotten in their time.
import { setup } from 'xstate'
import {
  idempotentResponsesExpired,
  IDEMPOTENT_RESPONSE_TOPIC,
  type IdempotentResponsesExpired
} from '../events/idempotent-responses-expired.js'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import type { Aggregate, Effects } from './aggregate.js'
import type { Command } from './command.js'
import type { Lifecycle, MachineEvent } from './lifecycle.js'

// Commands

/** The oldest answers that were kept with commits up to an index, as many as one event tells of, are not given again. */
type ExpireResponses = Command<'ForgetAnswers', { readonly upTo: number }>

/** Answers that are forgotten at once. */
const MOST_FORGOTTEN = 1000

const effects: Effects<ExpireResponses> = {
  ForgetAnswers: 'removal'
}

// Lifecycle: all of them are kept at first, and from some time on without the oldest

const keptAnswersMachine = setup({
  types: { events: {} as MachineEvent<IdempotentResponsesExpired> }
}).createMachine({
  id: IDEMPOTENT_RESPONSE_TOPIC,
  initial: 'all',
  states: {
    all: { on: { AnswersForgotten: 'recent' } },
    recent: { on: { AnswersForgotten: 'recent' } }
  }
})

const keptAnswersLifecycle: Lifecycle = {
  topic: IDEMPOTENT_RESPONSE_TOPIC,
  machine: keptAnswersMachine,
  endings: [],
  stateOf: ({ keptAnswers }) => (keptAnswers.forgotten.UpTo > 0 ? 'recent' : 'all')
}

// Decisions

const decide = ({ data: { upTo } }: ExpireResponses, { keptAnswers }: Views): readonly Event[] => {
  const Indexes = keptAnswers.oldest(upTo, MOST_FORGOTTEN)
  const UpTo = Indexes.at(-1)
  return UpTo === undefined ? [] : [idempotentResponsesExpired({ UpTo, Indexes })]
}

export const idempotentResponsesAggregate: Aggregate<ExpireResponses> = {
  lifecycle: keptAnswersLifecycle,
  effects,
  decide
}
