// A stream as the body of a response.
import type { ServerResponse } from 'node:http'
import { Delivery } from './delivery.js'
import { onceClosed, type Sink, type SinkListener } from './sink.js'

/**
 * Writes a slice at once. Node would wait for the end of the step, so that whoever serves many readers in one step could not see
 * what that takes (see `FanOut`).
 */
const writeNow = (response: ServerResponse, slice: Buffer, taken: () => void): void => {
  const { socket } = response
  socket?.cork()
  response.write(slice, taken)
  socket?.uncork()
}

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
        write: slice => writeNow(response, slice, this.#taken),
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
