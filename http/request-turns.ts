// Requests that a client sends on one connection without waiting for the answers before them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Has the requests of each connection handled in the order in which they came, each after the answer to the one before. */
export class RequestTurns {
  readonly #last = new WeakMap<Socket, ServerResponse>()

  /** Calls `proceed` when it is the request's turn: in general at once, and never when its connection is closed before. */
  await({ socket }: IncomingMessage, response: ServerResponse, proceed: () => void): void {
    const before = this.#last.get(socket)
    this.#last.set(socket, response)
    if (!before || before.writableEnded) proceed()
    else
      before.once('close', () => {
        if (!socket.destroyed) proceed()
      })
  }
}
