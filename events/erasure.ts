// Ordered erasures (log-files.md §5). An order contains only names, none of the erased data.
import { createEvent, type Event } from './envelope.js'

/** The parts to erase from one commit. */
export interface CommitErasure {
  readonly index: number
  /** The caller and the reason. */
  readonly who?: boolean
  /** The idempotent response. */
  readonly answer?: boolean
  /** Positions of events whose payloads and secrets are erased. */
  readonly events?: readonly number[]
  /** Positions of events whose secrets are erased. */
  readonly secrets?: readonly number[]
}

export const mergeErasures = (
  one: CommitErasure | undefined,
  { index, who, answer, events, secrets }: CommitErasure
): CommitErasure => ({
  index,
  who: one?.who === true || who === true,
  answer: one?.answer === true || answer === true,
  events: [...(one?.events ?? []), ...(events ?? [])],
  secrets: [...(one?.secrets ?? []), ...(secrets ?? [])]
})

export const ERASURE_TOPIC = 'Erasure'

interface Bound {
  /** Index of the newest commit that the erasure covers. */
  readonly UpTo: number
}

/** Erases payloads and secrets of one resource or of a key prefix. */
export interface PayloadErasure extends Bound {
  readonly Topic: string
  readonly Namespace: string
  readonly Partition: string
  /** Exactly one of `Key` and `Prefix` is present. */
  readonly Key?: string
  readonly Prefix?: string
  /** Keeps the newest version of existing resources. */
  readonly Scope?: 'history'
}

/** True when an order covers the event's resource, at any index. */
export const isErasedBy = (
  event: Pick<Event, 'Topic' | 'Key' | 'Namespace' | 'Partition'>,
  { Topic, Namespace, Partition, Key, Prefix }: Omit<PayloadErasure, keyof Bound>
): boolean =>
  event.Topic === Topic &&
  event.Partition === Partition &&
  // Resources without a namespace match any namespace.
  (event.Namespace === Namespace || event.Namespace === '') &&
  (Key === undefined ? event.Key.startsWith(Prefix ?? '') : event.Key === Key)

/** Erases the origins of all commits of one accessor. */
export interface OriginErasure extends Bound {
  readonly Part: 'who'
  readonly Accessor: string
}

export type Erasure = PayloadErasure | OriginErasure

export const isOriginErasure = (erasure: Erasure): erasure is OriginErasure => 'Part' in erasure

/** Each server executes the erasure in the background. The key numbers the order. */
export type HistoryErased = Event<typeof ERASURE_TOPIC, 'HistoryErased', { readonly Erasure: Erasure }>

export const isErasureEvent = (event: Event): event is HistoryErased => event.Topic === ERASURE_TOPIC

/** @param key index of the commit; with a suffix after a point for further orders of one commit */
export const historyErased = (key: string, erasure: Erasure): HistoryErased =>
  createEvent({ Topic: ERASURE_TOPIC, Type: 'HistoryErased', Key: key, Payload: { Erasure: erasure } })

/** Restricts an erasure to the commits up to an index, for a log that ends earlier. */
export const erasureLimitOf = (erasure: Erasure, index: number): Erasure => ({
  ...erasure,
  UpTo: Math.min(erasure.UpTo, index)
})
