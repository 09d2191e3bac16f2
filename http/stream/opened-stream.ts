// What a client has asked a stream for, when that is allowed.
import type { Cursor } from '../../events/cursor.js'
import type { Subscription } from '../../projections/stream/subscription.js'

/** Where a stream ends by itself: at what comes first. */
export interface StreamEnd {
  /** The last index that is sent. */
  readonly index?: number | undefined
  /** The newest commit of this moment, in epoch ms, is the last that is sent. Only for moments to come. */
  readonly time?: number | undefined
  /** Messages that are sent, without those of a snapshot. */
  readonly limit?: number | undefined
}

/** How lines go to their reader. */
type Wire = 'ndjson' | 'sse' | 'websocket' | 'annals.v1' | 'poll' | 'webhook' | 'audit'

/** What a client asked for. */
export interface StreamOpening {
  readonly subscription: Subscription
  /** The first index that is sent. */
  readonly start: number
  /** Where the stream ends by itself; undefined when it goes on for ever. */
  readonly end?: StreamEnd | undefined
  /** Whether what is true now comes first, as events. */
  readonly snapshot: boolean
  /** Whether heartbeats tell how far the stream is. */
  readonly progress: boolean
  readonly secret: string | undefined
  readonly address: string
  readonly requestId: string
  readonly wire: Wire
  /** The cursor behind which it starts, when it is its turn to read by it. */
  readonly cursor?: Cursor | undefined
}
