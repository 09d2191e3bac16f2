// Bodies in pieces on their way to the network, put together in memory that is used again and again.
import type { ServerResponse } from 'node:http'
import type { Pieces } from '../projections/pieces.js'

const LEAST_BYTES = 16 * 1024
/** Larger bodies get memory of their own, so that a slow reader never keeps much more than its answer. */
const MOST_BYTES = 64 * 1024

/**
 * Memory for one body after another. A body goes to the system within the call in general, and fresh memory for each
 * would cost more than putting the body together.
 */
export class Scratch {
  #memory = Buffer.allocUnsafeSlow(LEAST_BYTES)

  /** Ends a response, whose head is written, with this body. */
  end(response: ServerResponse, body: Pieces): void {
    if (body.length > MOST_BYTES) {
      response.end(body.toBuffer())
      return
    }
    if (body.length > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(MOST_BYTES)
    const bytes = this.#memory.subarray(0, body.length)
    body.writeTo(bytes)
    response.end(bytes)
    // What waits for the reader is still read from this memory.
    if (response.socket?.writableLength !== 0) this.#memory = Buffer.allocUnsafeSlow(LEAST_BYTES)
  }
}
