// Commits as the log keeps them, and how some of them are asked for.
import type { Event, Origin } from './envelope.js'

/** An event whose texts are there as they are stored; its payload is parsed when it is first asked for. */
export interface StoredEvent extends Event {
  /** Of `copyText`, in bytes. */
  readonly textLength: number
  /** Copies what `joinParts` makes of the stored texts. @returns how many bytes that is. @throws LogUnusable when they are damaged */
  copyText(target: Buffer, start: number): number
  /** Whether the stored text of the payload includes this text, without parsing it. @throws LogUnusable when it is damaged */
  payloadIncludes(text: string): boolean
}

export const isStoredEvent = (event: Event): event is StoredEvent => 'copyText' in event

export interface StoredCommit {
  readonly index: number
  /** RFC 3339. */
  readonly time: string
  /** @throws LogUnusable when it is damaged */
  readonly by: Origin
  /** All of it. */
  readonly bytes: Buffer
  /** Without their secrets. @throws LogUnusable when one is damaged */
  events(): readonly StoredEvent[]
}

/** What events have in common that differ in what they are about. */
export type EventKind = Pick<Event, 'Topic' | 'Type' | 'Namespace' | 'Partition'>

/** A thing that is wanted, or many. */
export interface SearchTarget {
  /** Undefined: every topic. */
  readonly topic: string | undefined
  /** A key or a filter key; undefined for every key. */
  readonly key: string | undefined
}

/** Events that are wanted: of any of these things, and of this tenancy; of others as well, for all that the search promises. */
export interface Search {
  readonly wanted: readonly SearchTarget[]
  /** Undefined: of all partitions. */
  readonly partition: string | undefined
  /** Besides what is in no namespace; undefined: of all namespaces. */
  readonly namespace: string | undefined
}

/** How far another thread of the process that writes a log may read. */
export interface ReadableExtent {
  /** Index of a durable commit. */
  readonly to: number
  /** Name of the segment that was being written when that was the newest one, or of a later one. */
  readonly newest: string
}
