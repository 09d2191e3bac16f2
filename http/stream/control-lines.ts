// The lines of a stream that are no messages: heartbeats, marks, and the last one (spec: stream.md §14 rows 3, 15, 17).
import type { FilterTooExpensive } from '../../projections/stream/event-filter.js'
import type { ClaimLoss } from '../../actors/processes/cursor-leases.js'

const HEARTBEAT = Buffer.from('{}\n')

/** Shows that the stream lives. */
export const heartbeat = (): Buffer => HEARTBEAT

/** A heartbeat that also says that everything selected up to this index was sent. */
export const progress = (lastIndex: number): Buffer =>
  Buffer.from(`{"Index":0,"Events":[],"LastIndex":${lastIndex}}\n`)

/** The stream has sent everything selected up to this index, which was the newest: from here on it is live. */
export const caughtUp = (lastIndex: number): Buffer =>
  Buffer.from(`{"CaughtUp":true,"LastIndex":${lastIndex}}\n`)

/** The snapshot is sent, and the commits behind this index follow. */
export const snapshotEnd = (index: number): Buffer => Buffer.from(`{"Snapshot":"end","Index":${index}}\n`)

const COMMA = Buffer.from(',')

/** A JSON array of messages, byte for byte as lines have them. */
export const jsonArrayOf = (lines: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('['),
    ...lines.flatMap((line, i) => (i === 0 ? [line] : [COMMA, line])),
    Buffer.from(']')
  ])

/** Why the server ended a stream. */
export interface StreamEnding {
  /** As a status of HTTP. */
  readonly code: number
  readonly message: string
}

export const PERMISSIONS_LOST: StreamEnding = {
  code: 403,
  message: 'subscription closed by server, client should resubscribe'
}
export const READER_STALLED: StreamEnding = {
  code: 408,
  message: 'the reader has taken nothing for too long (stream.write_timeout)'
}
export const SHUTTING_DOWN: StreamEnding = { code: 503, message: 'server shutting down' }
/** The log failed, and the state that was being sent was made anew from it. */
export const STATE_LOST: StreamEnding = {
  code: 503,
  message: 'the state was read anew from the log, client should ask for the snapshot again'
}
/** A snapshot was restored onto a new server, which goes on with the log of the snapshot. */
export const LOG_REPLACED: StreamEnding = {
  code: 503,
  message: 'another log has taken the place of this one, client should resubscribe'
}
export const UNREADABLE: StreamEnding = {
  code: 500,
  message: 'the log cannot be read, client should resubscribe'
}

/** Why a stream that reads by a cursor has ended. */
export const CURSOR_LOST: Readonly<Record<ClaimLoss, StreamEnding>> = {
  'taken over': { code: 409, message: 'the lease has run out, and another reader has taken the cursor over' },
  redefined: { code: 409, message: 'the cursor is of other events now, client should open the stream again' },
  deleted: { code: 404, message: 'the cursor was deleted' },
  deposed: { code: 503, message: 'another server leads the cluster now, client should open the stream again' }
}

/** The commits that the stream would send next were let go while it was behind. */
export const noLongerRetained = (index: number, oldest: number): StreamEnding => ({
  code: 410,
  message: `Index ${index} is no longer retained: the oldest index is ${oldest}`
})

/** A stream that came to the end that its reader asked for. */
export interface Completion {
  readonly end: 'unsubscribed' | 'until' | 'limit'
}

export const UNSUBSCRIBED: Completion = { end: 'unsubscribed' }
/** Behind the index or moment that was named. */
export const UNTIL: Completion = { end: 'until' }
/** After as many messages as were asked for. */
export const LIMIT: Completion = { end: 'limit' }

/**
 * The last line of a stream; everything selected up to the index was sent.
 * @param withheld how many events were withheld, where the stream counts them
 */
export const lastLine = (ending: StreamEnding | Completion, lastIndex: number, withheld?: number): Buffer => {
  const line =
    'end' in ending
      ? { End: ending.end, LastIndex: lastIndex, Withheld: withheld }
      : { Error: { Code: ending.code, Message: ending.message }, LastIndex: lastIndex }
  return Buffer.from(`${JSON.stringify(line)}\n`)
}

/** The expression of a stream cannot be evaluated for the events of a commit. */
export const filterTooExpensive = ({ index, message }: FilterTooExpensive): StreamEnding => ({
  code: 400,
  message: `Failed to evaluate the filter at index ${index}: ${message}`
})
