import type { Cursor } from '../../events/cursor.js'
import type { Subscription } from '../../projections/stream/subscription.js'

export interface StreamEnd {
  readonly index?: number | undefined
  /** The newest commit at this future time, in epoch ms, is the last that is sent. */
  readonly time?: number | undefined
  /** Number of messages, excluding those of a snapshot. */
  readonly limit?: number | undefined
}

type Wire = 'ndjson' | 'sse' | 'websocket' | 'annals.v1' | 'poll' | 'webhook' | 'audit'

export interface StreamOpening {
  readonly subscription: Subscription
  readonly start: number
  /** Undefined for an endless stream. */
  readonly end?: StreamEnd | undefined
  readonly snapshot: boolean
  /** True if heartbeats report the progress. */
  readonly progress: boolean
  readonly secret: string | undefined
  readonly address: string
  readonly requestId: string
  readonly wire: Wire
  /** The cursor that determines the start after its lease is acquired. */
  readonly cursor?: Cursor | undefined
}
