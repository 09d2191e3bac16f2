// What was ordered to be erased from the log (log-files.md §5). The order itself holds nothing of what it erases but its names.
import type { Event } from './envelope.js'

export const ERASURE_TOPIC = 'Erasure'

/** Which commits an erasure is about: those up to an index. */
interface Bound {
  /** Index of the newest commit that may be erased in part. */
  readonly UpTo: number
}

/** Payloads and secrets of one thing, or of all whose keys begin alike. */
export interface PayloadErasure extends Bound {
  readonly Topic: string
  readonly Namespace: string
  readonly Partition: string
  /** One of the two. */
  readonly Key?: string
  readonly Prefix?: string
  /** Only what was superseded: the newest version of what has not ended stays. */
  readonly Scope?: 'history'
}

/** Who asked, from where and why, of all commits of one accessor. */
export interface OriginErasure extends Bound {
  readonly Part: 'who'
  readonly Accessor: string
}

export type Erasure = PayloadErasure | OriginErasure

export const isOriginErasure = (erasure: Erasure): erasure is OriginErasure => 'Part' in erasure

/** Ordered, and carried out in the background by each server. Its key is its number among the orders. */
export type HistoryErased = Event<typeof ERASURE_TOPIC, 'HistoryErased', { readonly Erasure: Erasure }>

/** Tells these events from others; what the log holds under this topic was written by us. */
export const isErasureEvent = (event: Event): event is HistoryErased => event.Topic === ERASURE_TOPIC

/** The event that orders an erasure. @param key the index of its commit; of one of several in a commit, what follows a point as well */
export const historyErased = (key: string, erasure: Erasure): HistoryErased => ({
  Topic: ERASURE_TOPIC,
  Type: 'HistoryErased',
  Key: key,
  Namespace: '',
  Partition: 'default',
  FilterKeys: null,
  Payload: { Erasure: erasure }
})

/** An order as it is carried over to a log that ends earlier: about the commits that are left. */
export const erasureLimitOf = (erasure: Erasure, index: number): Erasure => ({
  ...erasure,
  UpTo: Math.min(erasure.UpTo, index)
})
