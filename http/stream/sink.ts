// Where the bytes of a stream go. One piece at a time is under way; what comes next waits at its source, not here.
import type { ServerResponse } from 'node:http'

export interface SinkListener {
  /** The last piece was taken whole; the next may be written. */
  onIdle(): void
  /** The connection is gone. */
  onClosed(): void
}

export interface Sink {
  /** Whether the last piece is still under way. */
  readonly isBusy: boolean
  /** Must not be called while it is busy. */
  write(bytes: Buffer): void
  /** Writes a last piece after whatever is under way, and ends cleanly. */
  end(bytes: Buffer): void
  /** Breaks the connection off. */
  destroy(): void
}

/** Said to whoever opens a sink. */
export type OpenSink = (listener: SinkListener) => Sink

/**
 * The body of a response as it is.
 * @param stuckMs the connection is broken off when the reader takes nothing for so long
 */
export class ResponseSink implements Sink {
  readonly #response: ServerResponse
  readonly #listener: SinkListener
  #busy = false
  readonly #taken = (): void => {
    this.#busy = false
    this.#listener.onIdle()
  }

  constructor(response: ServerResponse, stuckMs: number, listener: SinkListener) {
    this.#response = response
    this.#listener = listener
    watchReader(response, stuckMs, () => this.#busy || response.writableEnded)
    onceClosed(response, () => listener.onClosed())
  }

  get isBusy(): boolean {
    return this.#busy
  }

  write(bytes: Buffer): void {
    this.#busy = true
    this.#response.write(bytes, this.#taken)
  }

  end(bytes: Buffer): void {
    this.#response.end(bytes)
  }

  destroy(): void {
    this.#response.destroy()
  }
}

/**
 * Node's idle timer of a socket starts anew whenever a part of what is under way was taken, so that it tells a slow
 * reader from one that takes nothing.
 */
export const watchReader = (response: ServerResponse, stuckMs: number, isWaiting: () => boolean): void => {
  response.setTimeout(stuckMs, () => {
    if (isWaiting()) response.destroy()
  })
}

/** Calls back when the response is closed, also when it is closed already. */
export const onceClosed = (response: ServerResponse, closed: () => void): void => {
  if (response.closed || response.destroyed || !response.socket || response.socket.destroyed)
    setImmediate(closed)
  else response.once('close', closed)
}
