// Where the bytes of a stream go. One piece at a time is under way; what comes next waits at its source, not here.
import type { ServerResponse } from 'node:http'

export interface SinkListener {
  /** The last piece was taken whole; the next may be written. */
  onIdle(): void
  /** The reader takes nothing any more. The stream should end; the connection is broken off soon. */
  onStuck(): void
  /** The connection is gone. */
  onClosed(): void
}

export interface Sink {
  /** Whether the last piece is still under way. */
  readonly isBusy: boolean
  /** Must not be called while it is busy. The bytes stay as they are until it is idle again: who needs them longer copies them. */
  write(bytes: Buffer): void
  /** Writes a last piece after whatever is under way, and ends cleanly. */
  end(bytes: Buffer): void
  /** Breaks the connection off. */
  destroy(): void
}

/** Said to whoever opens a sink. */
export type OpenSink = (listener: SinkListener) => Sink

/** Calls back when the response is closed, also when it is closed already. */
export const onceClosed = (response: ServerResponse, closed: () => void): void => {
  if (response.closed || response.destroyed || !response.socket || response.socket.destroyed)
    setImmediate(closed)
  else response.once('close', closed)
}
