// Answers of bytes on their way to the network, put together in memory that is used again and again.
import { Pieces } from '../projections/pieces.js'
import type { HeadedResponse } from './headed-response.js'

const LEAST_BYTES = 16 * 1024
/** Larger bodies get memory of their own, so that a slow reader never keeps much more than its answer. */
const MOST_BYTES = 64 * 1024

/**
 * Memory for one answer after another. An answer goes to the system within the call in general; fresh memory for each would
 * cost more than putting it together, and a head and a body apart more than both in one piece.
 */
export class Scratch {
  #memory = Buffer.allocUnsafeSlow(LEAST_BYTES)

  /** Ends a response with this head and body. */
  send(response: HeadedResponse, head: string, body: Buffer | Pieces): void {
    const size = head.length + body.length
    if (size > MOST_BYTES || !response.takesBody) {
      response.send(head, body instanceof Pieces ? body.toBuffer() : body)
      return
    }
    if (size > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(MOST_BYTES)
    const at = this.#memory.write(head, 'latin1')
    if (body instanceof Pieces) body.writeTo(this.#memory, at)
    else body.copy(this.#memory, at)
    response.sendWhole(head, this.#memory.subarray(0, size))
    // What waits for the reader is still read from this memory.
    if (response.socket?.writableLength !== 0) this.#memory = Buffer.allocUnsafeSlow(LEAST_BYTES)
  }
}
