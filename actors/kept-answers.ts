// The answers that the log keeps for repeated writes, which are forgotten in their time.
import { setup } from 'xstate'
import { answersForgotten, KEPT_ANSWER_TOPIC, type AnswersForgotten } from '../events/answers-forgotten.js'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/views.js'
import type { Aggregate, Effects } from './aggregate.js'
import type { Command } from './command.js'
import type { Lifecycle, MachineEvent } from './lifecycle.js'
import { Refusal } from './refusal.js'

// Commands

/** No answer that was kept with a commit up to an index is given again. */
export type ForgetAnswers = Command<'ForgetAnswers', { readonly upTo: number }>

const effects: Effects<ForgetAnswers> = {
  ForgetAnswers: 'removal'
}

// Lifecycle: all of them are kept at first, and from some time on without the oldest

const keptAnswersMachine = setup({
  types: { events: {} as MachineEvent<AnswersForgotten> }
}).createMachine({
  id: KEPT_ANSWER_TOPIC,
  initial: 'all',
  states: {
    all: { on: { AnswersForgotten: 'recent' } },
    recent: { on: { AnswersForgotten: 'recent' } }
  }
})

const keptAnswersLifecycle: Lifecycle = {
  topic: KEPT_ANSWER_TOPIC,
  machine: keptAnswersMachine,
  endings: [],
  stateOf: ({ keptAnswers }) => (keptAnswers.forgotten > 0 ? 'recent' : 'all')
}

// Decisions

/** What was forgotten is not known again: the index only grows. */
const decide = ({ data: { upTo } }: ForgetAnswers, views: Views, index: number): readonly Event[] => {
  if (upTo <= views.keptAnswers.forgotten) return []
  if (upTo >= index) throw new Refusal('invalid', `Invalid upTo: the log ends at commit ${index - 1}`)
  return [answersForgotten(upTo)]
}

export const keptAnswersAggregate: Aggregate<ForgetAnswers> = {
  lifecycle: keptAnswersLifecycle,
  effects,
  decide
}
