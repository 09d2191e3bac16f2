// The answers that were kept for repeated writes, once they are old enough.
import type { Event } from './envelope.js'

export const KEPT_ANSWER_TOPIC = 'KeptAnswer'
export const KEPT_ANSWERS_KEY = 'kept-answers'

/** Answers that are not given again, and need not be there any more. */
export interface ForgottenAnswers {
  /** All that were kept with commits up to this one are forgotten. */
  readonly UpTo: number
  /** Ascending indexes of those that were not forgotten before. */
  readonly Indexes: readonly number[]
}

export type AnswersForgotten = Event<
  typeof KEPT_ANSWER_TOPIC,
  'AnswersForgotten',
  { readonly Answers: ForgottenAnswers }
>

/** The event that tells of them. */
export const answersForgotten = (Answers: ForgottenAnswers): AnswersForgotten => ({
  Topic: KEPT_ANSWER_TOPIC,
  Type: 'AnswersForgotten',
  Key: KEPT_ANSWERS_KEY,
  Namespace: '',
  Partition: 'default',
  FilterKeys: null,
  Payload: { Answers }
})

export const isAnswersForgotten = (event: Event): event is AnswersForgotten =>
  event.Topic === KEPT_ANSWER_TOPIC && event.Type === 'AnswersForgotten'
