import type { Event, Origin } from './envelope.js'

/** Holds the stored texts and parses the payload on first access. */
export interface StoredEvent extends Event {
  /** Bytes that `copyText` writes. */
  readonly textLength: number
  /** Copies the result of `joinParts` for the stored texts. @returns its length in bytes. @throws LogUnusable if they are damaged */
  copyText(target: Buffer, start: number): number
  /** Searches the stored payload without parsing it. @throws LogUnusable if it is damaged */
  payloadIncludes(text: string): boolean
}

export const isStoredEvent = (event: Event): event is StoredEvent => 'copyText' in event

export interface StoredCommit {
  readonly index: number
  /** RFC 3339. */
  readonly time: string
  /** @throws LogUnusable if it is damaged */
  readonly by: Origin
  /** The complete record. */
  readonly bytes: Buffer
  /** Returns the events without secrets. @throws LogUnusable if one is damaged */
  events(): readonly StoredEvent[]
  /** As `events`, but reads each when it is needed. @throws LogUnusable if one is damaged */
  eachEvent(): Iterable<StoredEvent>
}

/** The fields that events about different resources can share. */
export type EventKind = Pick<Event, 'Topic' | 'Type' | 'Namespace' | 'Partition'>

export interface SearchTarget {
  /** Undefined for all topics. */
  readonly topic: string | undefined
  /** A key or filter key; undefined for all keys. */
  readonly key: string | undefined
}

/** Selects commits with events of any target within a tenancy. A search may return further commits. */
export interface Search {
  /** Undefined for all resources. */
  readonly wanted: readonly SearchTarget[] | undefined
  /** Undefined for all partitions. */
  readonly partition: string | undefined
  /** Resources without a namespace always match. Undefined for all namespaces. */
  readonly namespace: string | undefined
  /** Only commits of this AccessorID, and from this source address. */
  readonly origin?: Partial<Pick<Origin, 'AccessorID' | 'Address'>>
}

/** How far another thread of the writing process may read. */
export interface ReadableExtent {
  /** Index of a durable commit. */
  readonly to: number
  /** Name of the active segment at that commit, or of a later segment. */
  readonly newest: string
}
