// What is written to the log: commits of events, and the names of the things they are about.
import type { IdempotentResponse } from './idempotent-response.js'

/** Partition and namespace, lower case; `default` is the answer when a request names none (spec: tenancy.md §5). */
export interface Tenancy {
  readonly partition: string
  readonly namespace: string
}

export const DEFAULT_TENANCY: Tenancy = Object.freeze({ partition: 'default', namespace: 'default' })

/**
 * One fact: what a thing of a topic became. `Payload` is the whole new state of the thing (for a deletion: its last
 * state), so that a subscriber needs no other call and a read model can be rebuilt from the last event of each key.
 * Spec: stream.md §4, §15.
 */
export interface Event<Topic extends string = string, Type extends string = string, Payload = object> {
  readonly Topic: Topic
  readonly Type: Type
  /** Identifies the thing within its topic, partition and namespace. */
  readonly Key: string
  /** Empty for things that have no namespace. */
  readonly Namespace: string
  readonly Partition: string
  /** Further keys by which a subscriber may ask for the event; null when there are none. */
  readonly FilterKeys: readonly string[] | null
  readonly Payload: Payload
  /** The payload was erased from the log: it is an object without fields here, and left out wherever events are shown. */
  readonly Erased?: true
  /** What only projections may see. Kept apart in the log; never streamed, exported or logged. */
  readonly Secrets?: Readonly<Record<string, string>>
}

/** What the log tells of an event without its payload. */
export interface StoredHead extends Omit<Event, 'Partition' | 'Payload' | 'Secrets'> {
  /** Absent for `default`. */
  readonly Partition?: string
}

/** The newest commit of a log whose end was cut off, or of which a copy goes on (log-files.md §6). */
interface LogEnd {
  /** ID of the log, 16 bytes in hex. */
  readonly Log: string
  readonly Incarnation: number
  /** Index and hash (hex) of its newest commit, as far as that was known. */
  readonly Index: number
  readonly Hash: string
}

/** Index of the commit that led to another; a list where there are several, in the order of their indexes. */
export type Cause = number | readonly number[]

/** Who asked for a commit, how, and why: what an auditor reads. */
export interface Origin {
  /** Accessor of the token that asked; empty for the server itself. */
  readonly AccessorID: string
  /** Source address of the request; empty for the server itself. */
  readonly Address: string
  readonly RequestID: string
  /** Name of the command, such as `CreateToken`. */
  readonly Command: string
  /** What the caller gave as its reason; absent when it gave none. */
  readonly Reason?: string
  /** What led to the commit, where that was another one: of the end of a token, the commit that made it. */
  readonly Cause?: Cause
  /** All of it was erased from the log: the other fields are empty. */
  readonly Erased?: true
  /** In the first commit of an incarnation of a log: where the one before it ended. */
  readonly Continues?: LogEnd
}

/** Of a commit that nobody asked for, or of whom nothing more is known. */
export const NO_CALLER: Origin = { AccessorID: '', Address: '', RequestID: '', Command: '' }

/** Everything that one command changed: appended whole or not at all. Indexes run 1, 2, 3 … without gaps. */
export interface Commit {
  readonly Index: number
  /** RFC 3339, UTC, of the append; for people, never for logic. */
  readonly Time: string
  readonly By: Origin
  readonly Events: readonly Event[]
  /** What the caller was answered, where it gave an idempotency key. As secret as `Secrets`. */
  readonly Answer?: IdempotentResponse
}
