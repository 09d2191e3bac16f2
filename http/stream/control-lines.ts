// The control lines of a stream: heartbeats, marks, and the last line (spec: stream.md §14 rows 3, 15, 17).
import type { FilterTooExpensive } from '../../projections/stream/event-filter.js'
import type { ClaimLoss } from '../../actors/processes/cursor-leases.js'

const HEARTBEAT = Buffer.from('{}\n')

export const heartbeat = (): Buffer => HEARTBEAT

/** A heartbeat with the index up to which every selected event was sent. */
export const progress = (lastIndex: number): Buffer =>
  Buffer.from(`{"Index":0,"Events":[],"LastIndex":${lastIndex}}\n`)

/** Marks that the stream has sent every selected event up to the newest index, and is live. */
const caughtUp = (lastIndex: number): Buffer => Buffer.from(`{"CaughtUp":true,"LastIndex":${lastIndex}}\n`)

/** Marks the end of the snapshot, after which the commits after the index follow. */
export const snapshotEnd = (index: number): Buffer => Buffer.from(`{"Snapshot":"end","Index":${index}}\n`)

/** Messages have a positive index; control lines have the index 0 or none. */
const MESSAGE = /^\{"Index":([1-9]\d*),/
const HEAD_BYTES = 32

/** Returns the index of a message; undefined for control lines. */
export const messageIndexOf = (line: Buffer): number | undefined => {
  const index = MESSAGE.exec(line.toString('latin1', 0, HEAD_BYTES))?.[1]
  return index === undefined ? undefined : Number(index)
}

const COMMA = Buffer.from(',')

export const jsonArrayOf = (lines: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('['),
    ...lines.flatMap((line, i) => (i === 0 ? [line] : [COMMA, line])),
    Buffer.from(']')
  ])

export interface StreamEnding {
  readonly code: number
  readonly message: string
}

const ending = (code: number, message: string): StreamEnding => ({ code, message })

export const PERMISSIONS_LOST = ending(403, 'subscription closed by server, client should resubscribe')
export const READER_STALLED = ending(408, 'the reader has taken nothing for too long (stream.write_timeout)')
export const SHUTTING_DOWN = ending(503, 'server shutting down')
/** The log failed, and the state was rebuilt while it was being sent. */
export const STATE_LOST = ending(
  503,
  'the state was rebuilt from the log, client should request the snapshot again'
)
/** A snapshot was restored onto a new server, which continues with the log of the snapshot. */
export const LOG_REPLACED = ending(
  503,
  'another log has taken the place of this one, client should resubscribe'
)
export const UNREADABLE = ending(500, 'the log cannot be read, client should resubscribe')

export const CURSOR_LOST: Readonly<Record<ClaimLoss, StreamEnding>> = {
  'taken over': ending(409, 'the lease has run out, and another reader has taken the cursor over'),
  redefined: ending(409, 'the cursor is of other events now, client should open the stream again'),
  deleted: ending(404, 'the cursor was deleted'),
  deposed: ending(503, 'another server leads the cluster now, client should open the stream again')
}

export const noLongerRetained = (index: number, oldest: number): StreamEnding =>
  ending(410, `Index ${index} is no longer retained: the oldest index is ${oldest}`)

export type Completion = 'unsubscribed' | 'until' | 'limit'

/**
 * Returns the last line of a stream. Every selected event up to the index was sent.
 * @param withheld number of withheld events, if the stream counts them
 */
export const lastLine = (reason: StreamEnding | Completion, lastIndex: number, withheld?: number): Buffer => {
  const line =
    typeof reason === 'string'
      ? { End: reason, LastIndex: lastIndex, Withheld: withheld }
      : { Error: { Code: reason.code, Message: reason.message }, LastIndex: lastIndex }
  return Buffer.from(`${JSON.stringify(line)}\n`)
}

export const filterTooExpensive = ({ index, message }: FilterTooExpensive): StreamEnding =>
  ending(400, `Failed to evaluate the filter at index ${index}: ${message}`)

/** The number of commits without a selected event after which progress is reported. */
const PROGRESS_COMMITS = 1000

export class Progress {
  #reported: number
  #isCaughtUp = false

  /** @param start the first index of the stream */
  constructor(start: number) {
    this.#reported = start - 1
  }

  note(lastIndex: number): void {
    this.#reported = Math.max(this.#reported, lastIndex)
  }

  /**
   * Returns the report that is due after everything up to an index was sent; undefined for none.
   * @param newest the newest durable index
   */
  due(lastIndex: number, newest: number): Buffer | undefined {
    if (!this.#isCaughtUp && lastIndex >= newest) {
      this.#isCaughtUp = true
      this.note(lastIndex)
      return caughtUp(lastIndex)
    }
    if (lastIndex - this.#reported < PROGRESS_COMMITS) return undefined
    this.note(lastIndex)
    return progress(lastIndex)
  }
}
