// What a stream of events says, and how it is asked.

/** An event as the stream sends it: one change of one resource. */
export interface StreamedEvent {
  readonly Topic: string
  readonly Type: string
  readonly Key: string
  readonly Namespace: string
  /** Only for resources that have one. */
  readonly Partition?: string
  readonly FilterKeys: readonly string[] | null
  readonly Index: number
  /** The resource, under the name of its topic. */
  readonly Payload: Readonly<Record<string, unknown>>
}

/** Who made a commit, and when. */
export interface CommitOrigin {
  /** RFC 3339. */
  readonly Time: string
  readonly AccessorID: string
  readonly RequestID: string
  readonly Command: string
  readonly Address: string
  readonly [field: string]: unknown
}

/** One line of a stream, of whatever kind. */
export interface StreamLine {
  readonly Index?: number
  readonly Events?: readonly StreamedEvent[]
  readonly Meta?: CommitOrigin
  readonly Snapshot?: 'end'
  readonly CaughtUp?: true
  readonly LastIndex?: number
  readonly End?: string
  readonly Error?: { readonly Code: number; readonly Message: string }
}

/** What is asked for, in the words of `Subscribe`; the query parameters have the same names, those of several values in the singular. */
export interface Subscription {
  readonly Topics?: readonly string[]
  readonly Types?: readonly string[]
  readonly Filter?: string
  readonly Namespace?: string
  readonly Partition?: string
  readonly Cursor?: string
  readonly Index?: number | string
  readonly After?: number
  readonly Since?: string
  readonly Until?: number | string
  readonly Limit?: number
  readonly Snapshot?: true
  readonly Progress?: true
  readonly Meta?: true
  readonly Strict?: true
}

/** A way on which lines come. */
export interface Wire {
  /**
   * The lines of one connection, until it ends in whatever way.
   * @throws RequestRefused when the stream is refused, Unreachable when the server cannot be reached or falls silent
   */
  lines(subscription: Subscription, signal: AbortSignal): AsyncGenerator<StreamLine>
}
