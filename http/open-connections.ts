// The connections of a server, as far as Node does not see to them by itself.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The open connections of a server. */
export class OpenConnections {
  readonly #sockets = new Set<Socket>()

  constructor(server: Server) {
    server.on('connection', socket => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /** Closes those on which nothing has come yet; to Node a request is arriving on them. */
  closeUnused(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}
