import { createEvent, type Event } from './envelope.js'

export const LOG_TOPIC = 'Log'
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
export type LogRetained = Event<typeof LOG_TOPIC, 'LogRetained', { readonly Retention: Retention }>

export const logRetained = (retention: Retention): LogRetained =>
  createEvent({ Topic: LOG_TOPIC, Type: 'LogRetained', Key: LOG_KEY, Payload: { Retention: retention } })

export const isLogRetained = (event: Event): event is LogRetained =>
  event.Topic === LOG_TOPIC && event.Type === 'LogRetained'
