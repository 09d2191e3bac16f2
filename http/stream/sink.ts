// The interface of the byte sinks of streams. A sink sends one piece at a time; the stream retains the rest.
import type { ServerResponse } from 'node:http'

export interface SinkListener {
  /** The last piece was received; the next may be written. */
  onIdle(): void
  /** The reader receives nothing. The stream should end; the connection is aborted soon. */
  onStuck(): void
  onClosed(): void
}

export interface Sink {
  readonly isBusy: boolean
  /** Must not be called while busy. Does not copy the bytes, which are valid until the sink is idle. */
  write(bytes: Buffer): void
  /** Sends a last piece after the current one, and closes the connection. */
  end(bytes: Buffer): void
  destroy(): void
}

export type OpenSink = (listener: SinkListener) => Sink

/** Calls `closed` when the response is closed, or asynchronously if it is already. */
export const onceClosed = (response: ServerResponse, closed: () => void): void => {
  if (response.closed || response.destroyed || !response.socket || response.socket.destroyed)
    setImmediate(closed)
  else response.once('close', closed)
}
