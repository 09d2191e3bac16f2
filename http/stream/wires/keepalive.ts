// Pings of an open WebSocket, which keep proxies from closing it, and show when nobody is there any more.
import type { WebSocket } from 'ws'
import type { SocketOutput } from './socket-output.js'

/** More unanswered pings in a row end a connection; a slow reader answers when it has read what came before them. */
const MOST_UNANSWERED = 4

export class Keepalive {
  readonly #timer: NodeJS.Timeout
  #unanswered = 0

  /** @param everyMs time between pings */
  constructor(socket: WebSocket, output: SocketOutput, everyMs: number) {
    socket.on('pong', () => (this.#unanswered = 0))
    this.#timer = setInterval(() => {
      // While something waits for the reader, the output sees whether it takes any of it.
      if (output.isBusy) return
      if (this.#unanswered++ >= MOST_UNANSWERED) output.destroy()
      else socket.ping()
    }, everyMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
