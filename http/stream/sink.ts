// Where the bytes of a stream go. One piece at a time is under way; what comes next waits at its source, not here.
import type { ServerResponse } from 'node:http'
import { Delivery } from './delivery.js'

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
  /** Must not be called while it is busy. */
  write(bytes: Buffer): void
  /** Writes a last piece after whatever is under way, and ends cleanly. */
  end(bytes: Buffer): void
  /** Breaks the connection off. */
  destroy(): void
}

/** Said to whoever opens a sink. */
export type OpenSink = (listener: SinkListener) => Sink

/** The body of a response as it is. */
export class ResponseSink implements Sink {
  readonly #response: ServerResponse
  readonly #delivery: Delivery
  readonly #taken = (): void => this.#delivery.taken()

  /** @param stuckMs the stream is ended when its reader takes nothing for so long */
  constructor(response: ServerResponse, stuckMs: number, listener: SinkListener) {
    this.#response = response
    this.#delivery = new Delivery(
      {
        write: slice => void response.write(slice, this.#taken),
        end: slice => void response.end(slice),
        destroy: () => void response.destroy()
      },
      stuckMs,
      listener
    )
    onceClosed(response, () => this.#delivery.close())
  }

  get isBusy(): boolean {
    return this.#delivery.isBusy
  }

  write(bytes: Buffer): void {
    this.#delivery.write(bytes)
  }

  end(bytes: Buffer): void {
    this.#delivery.end(bytes)
  }

  destroy(): void {
    this.#response.destroy()
  }
}

/** Calls back when the response is closed, also when it is closed already. */
export const onceClosed = (response: ServerResponse, closed: () => void): void => {
  if (response.closed || response.destroyed || !response.socket || response.socket.destroyed)
    setImmediate(closed)
  else response.once('close', closed)
}
