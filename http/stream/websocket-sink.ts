// A stream as WebSocket text messages: one for each line, without its newline.
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { Sink, SinkListener } from './sink.js'

const NEWLINE = 10
/** The last line says why; the code only says that all is said. */
const NORMAL = 1000

export class WebSocketSink implements Sink {
  readonly #socket: WebSocket
  readonly #listener: SinkListener
  #busy = false

  /**
   * @param connection what the WebSocket runs over
   * @param stuckMs the connection is broken off when the reader takes nothing for so long
   */
  constructor(socket: WebSocket, connection: Socket, stuckMs: number, listener: SinkListener) {
    this.#socket = socket
    this.#listener = listener
    connection.setTimeout(stuckMs)
    connection.on('timeout', () => {
      if (this.#busy || socket.readyState === WebSocket.CLOSING) socket.terminate()
    })
    // What is wrong with the connection closes it, and that is what counts.
    socket.on('error', () => {})
    if (socket.readyState === WebSocket.OPEN) socket.once('close', () => listener.onClosed())
    else setImmediate(() => listener.onClosed())
  }

  get isBusy(): boolean {
    return this.#busy
  }

  write(bytes: Buffer): void {
    this.#busy = true
    this.#send(bytes, () => {
      this.#busy = false
      this.#listener.onIdle()
    })
  }

  end(bytes: Buffer): void {
    this.#send(bytes, () => {})
    this.#socket.close(NORMAL)
  }

  destroy(): void {
    this.#socket.terminate()
  }

  #send(bytes: Buffer, taken: () => void): void {
    let from = 0
    while (from < bytes.length) {
      const end = bytes.indexOf(NEWLINE, from)
      const isLast = end + 1 === bytes.length
      this.#socket.send(bytes.subarray(from, end), { binary: false }, isLast ? taken : undefined)
      from = end + 1
    }
  }
}
