import { resourceEvents, type EventOf } from './envelope.js'

export const IDEMPOTENT_RESPONSES_KEY = 'kept-answers'

export interface ExpiredResponses {
  /** All responses of commits up to this index have expired. */
  readonly UpTo: number
  /** Ascending indexes of the responses that expired with this event. */
  readonly Indexes: readonly number[]
}

export const expirationEvents = resourceEvents({
  topic: 'KeptAnswer',
  types: ['AnswersForgotten'],
  payloadOf: (expired: ExpiredResponses) => ({ Answers: expired }),
  keyOf: () => IDEMPOTENT_RESPONSES_KEY
})
export type IdempotentResponsesExpired = EventOf<typeof expirationEvents>
