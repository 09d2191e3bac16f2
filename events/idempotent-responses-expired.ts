// The answers that were kept for repeated writes, once they are old enough.
import type { Event } from './envelope.js'

export const IDEMPOTENT_RESPONSE_TOPIC = 'KeptAnswer'
export const IDEMPOTENT_RESPONSES_KEY = 'kept-answers'

/** Answers that are not given again, and need not be there any more. */
export interface ExpiredResponses {
  /** All that were kept with commits up to this one are forgotten. */
  readonly UpTo: number
  /** Ascending indexes of those that were not forgotten before. */
  readonly Indexes: readonly number[]
}

export type IdempotentResponsesExpired = Event<
  typeof IDEMPOTENT_RESPONSE_TOPIC,
  'AnswersForgotten',
  { readonly Answers: ExpiredResponses }
>

/** The event that tells of them. */
export const idempotentResponsesExpired = (Answers: ExpiredResponses): IdempotentResponsesExpired => ({
  Topic: IDEMPOTENT_RESPONSE_TOPIC,
  Type: 'AnswersForgotten',
  Key: IDEMPOTENT_RESPONSES_KEY,
  Namespace: '',
  Partition: 'default',
  FilterKeys: null,
  Payload: { Answers }
})

export const isIdempotentResponsesExpired = (event: Event): event is IdempotentResponsesExpired =>
  event.Topic === IDEMPOTENT_RESPONSE_TOPIC && event.Type === 'AnswersForgotten'
