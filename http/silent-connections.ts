// Connections on which nothing was sent yet. Node counts them among those with a request in flight, so that the end of
// a server would wait for them until their time is over.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The open connections of a server, of which the silent ones are closed at its end. Costs nothing per request. */
export class SilentConnections {
  readonly #open = new Set<Socket>()
  #ending = false

  constructor(server: Server) {
    server.on('connection', socket => {
      if (this.#ending) {
        socket.destroy()
        return
      }
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
  }

  /** Closes those that are silent now, and whatever connects from now on. */
  close(): void {
    this.#ending = true
    for (const socket of this.#open) if (socket.bytesRead === 0) socket.destroy()
  }
}
