// The log itself: how far its oldest commits were let go.
import type { Event } from './envelope.js'

export const LOG_TOPIC = 'Log'
export const LOG_KEY = 'log'

/** A base stands in for the commits up to `Index`, which may be gone, or erased in part. */
export interface Retention {
  readonly Index: number
  /** Index of the newest commit that may be gone; absent: as `Index`. The others stay. */
  readonly LetGo?: number
  /** SHA-256 of the base, hex, as the base itself ends with it. */
  readonly Base: string
}

/** Index of the newest commit that may be gone. */
export const prunedIndexOf = (retention: Retention | undefined): number =>
  retention?.LetGo ?? retention?.Index ?? 0

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
