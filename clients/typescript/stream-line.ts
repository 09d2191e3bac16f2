/** An event as the stream sends it: one change of one resource. */
export interface StreamedEvent {
  readonly Topic: string
  readonly Type: string
  readonly Key: string
  readonly Namespace: string
  readonly Partition?: string
  readonly FilterKeys: readonly string[] | null
  readonly Index: number
  /** The resource, under the name of its topic. */
  readonly Payload: Readonly<Record<string, unknown>>
}

export interface CommitOrigin {
  /** RFC 3339. */
  readonly Time: string
  readonly AccessorID: string
  readonly RequestID: string
  readonly Command: string
  readonly Address: string
  readonly [field: string]: unknown
}

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

/** The fields of `Subscribe`. Query parameters have the same names, in the singular for lists. */
export interface Subscription {
  readonly Topics?: readonly string[] | undefined
  readonly Types?: readonly string[] | undefined
  readonly Filter?: string | undefined
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
  readonly Cursor?: string | undefined
  readonly Index?: number | string | undefined
  readonly After?: number | undefined
  readonly Since?: string | undefined
  readonly Until?: number | string | undefined
  readonly Limit?: number | undefined
  readonly Snapshot?: true | undefined
  readonly Progress?: true | undefined
  readonly Meta?: true | undefined
  readonly Strict?: true | undefined
}

export interface Wire {
  /** Yields the lines of one connection. @throws RequestRefused, Unreachable if the server cannot be reached or is silent */
  lines(subscription: Subscription, signal: AbortSignal): AsyncGenerator<StreamLine>
}
