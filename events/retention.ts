// The log itself: how far its oldest commits were let go.
import type { Event } from './envelope.js'

export const LOG_TOPIC = 'Log'
export const LOG_KEY = 'log'

/** The commits up to `Index` may be gone; a base stands in for them. */
export interface Retention {
  readonly Index: number
  /** SHA-256 of the base, hex, as the base itself ends with it. */
  readonly Base: string
}

/** The base is there, durable and proved; what it stands for goes when this commit is durable. */
export type LogRetained = Event<typeof LOG_TOPIC, 'LogRetained', { readonly Retention: Retention }>

/** The event that tells of a base. */
export const logRetained = (retention: Retention): LogRetained => ({
  Topic: LOG_TOPIC,
  Type: 'LogRetained',
  Key: LOG_KEY,
  Namespace: '',
  Partition: 'default',
  FilterKeys: null,
  Payload: { Retention: retention }
})

export const isLogRetained = (event: Event): event is LogRetained =>
  event.Topic === LOG_TOPIC && event.Type === 'LogRetained'
