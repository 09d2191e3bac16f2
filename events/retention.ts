import { CLUSTER_TENANCY, resourceEvents, type EventOf } from './envelope.js'

export const LOG_KEY = 'log'

/** A base snapshot covers the commits up to `Index`, which may be pruned or erased in part. */
export interface Retention {
  readonly Index: number
  /** Index of the newest commit that may be pruned; absent if equal to `Index`. */
  readonly LetGo?: number
  /** SHA-256 at the end of the base snapshot, hex. */
  readonly Base: string
}

export const prunedIndexOf = (retention: Retention | undefined): number =>
  retention?.LetGo ?? retention?.Index ?? 0

/** The base snapshot is durable and verified. The covered commits are deleted when this commit is durable. */
export const retentionEvents = resourceEvents({
  topic: 'Log',
  types: ['LogRetained'],
  payloadOf: (retention: Retention) => ({ Retention: retention }),
  keyOf: () => LOG_KEY
})
export type LogRetained = EventOf<typeof retentionEvents>

export const logRetained = (retention: Retention): LogRetained =>
  retentionEvents.create('LogRetained', CLUSTER_TENANCY, retention)

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
