import { createEvent, type Event } from './envelope.js'

export const IDEMPOTENT_RESPONSE_TOPIC = 'KeptAnswer'
export const IDEMPOTENT_RESPONSES_KEY = 'kept-answers'

export interface ExpiredResponses {
  /** All responses of commits up to this index have expired. */
  readonly UpTo: number
  /** Ascending indexes of the responses that expired with this event. */
  readonly Indexes: readonly number[]
}

export type IdempotentResponsesExpired = Event<
  typeof IDEMPOTENT_RESPONSE_TOPIC,
  'AnswersForgotten',
  { readonly Answers: ExpiredResponses }
>

export const idempotentResponsesExpired = (Answers: ExpiredResponses): IdempotentResponsesExpired =>
  createEvent({
    Topic: IDEMPOTENT_RESPONSE_TOPIC,
    Type: 'AnswersForgotten',
    Key: IDEMPOTENT_RESPONSES_KEY,
    Payload: { Answers }
  })

export const isIdempotentResponsesExpired = (event: Event): event is IdempotentResponsesExpired =>
  event.Topic === IDEMPOTENT_RESPONSE_TOPIC && event.Type === 'AnswersForgotten'
