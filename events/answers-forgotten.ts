// The answers that were kept for repeated writes, once they are old enough.
import type { Event } from './envelope.js'

export const KEPT_ANSWER_TOPIC = 'KeptAnswer'
export const KEPT_ANSWERS_KEY = 'kept-answers'

/** No answer that was kept with a commit up to `UpTo` is given again, and none of them need be there any more. */
export type AnswersForgotten = Event<
  typeof KEPT_ANSWER_TOPIC,
  'AnswersForgotten',
  { readonly Answers: { readonly UpTo: number } }
>

/** The event that tells so. */
export const answersForgotten = (UpTo: number): AnswersForgotten => ({
  Topic: KEPT_ANSWER_TOPIC,
  Type: 'AnswersForgotten',
  Key: KEPT_ANSWERS_KEY,
  Namespace: '',
  Partition: 'default',
  FilterKeys: null,
  Payload: { Answers: { UpTo } }
})

export const isAnswersForgotten = (event: Event): event is AnswersForgotten =>
  event.Topic === KEPT_ANSWER_TOPIC && event.Type === 'AnswersForgotten'
