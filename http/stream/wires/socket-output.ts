// What is on its way to the reader of a WebSocket, however many streams it carries.
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'

/** Bytes after which no stream adds another piece until the reader has taken some. */
const MOST_WAITING_BYTES = 64 * 1024

export interface SocketListener {
  /** There is room again. */
  onDrained(): void
  /** The connection is gone. */
  onClosed(): void
}

export class SocketOutput {
  readonly #socket: WebSocket
  readonly #listeners = new Set<SocketListener>()
  #waitingBytes = 0

  /**
   * @param connection what the WebSocket runs over
   * @param stuckMs the connection is broken off when the reader takes nothing for so long
   */
  constructor(socket: WebSocket, connection: Socket, stuckMs: number) {
    this.#socket = socket
    connection.setTimeout(stuckMs)
    connection.on('timeout', () => {
      if (this.#waitingBytes > 0 || socket.readyState === WebSocket.CLOSING) socket.terminate()
    })
    // What is wrong with the connection closes it, and that is what counts.
    socket.on('error', () => {})
    socket.once('close', () => this.#each(listener => listener.onClosed()))
  }

  /** Whether something is still on its way. */
  get isBusy(): boolean {
    return this.#waitingBytes > 0
  }

  /** Whether so much is on its way that nothing should be added. */
  get isFull(): boolean {
    return this.#waitingBytes >= MOST_WAITING_BYTES
  }

  /** Sends a text message. @param taken called when it was handed over whole */
  send(text: Buffer, taken?: () => void): void {
    this.#waitingBytes += text.length
    this.#socket.send(text, { binary: false }, () => {
      const wasFull = this.isFull
      this.#waitingBytes -= text.length
      taken?.()
      if (wasFull && !this.isFull) this.#each(listener => listener.onDrained())
    })
  }

  /** Adds a listener, or moves it behind all others: those that come first are told first. */
  add(listener: SocketListener): void {
    this.#listeners.delete(listener)
    this.#listeners.add(listener)
    if (this.#socket.readyState !== WebSocket.OPEN) setImmediate(() => listener.onClosed())
  }

  delete(listener: SocketListener): void {
    this.#listeners.delete(listener)
  }

  /** Closes after whatever is on its way. */
  close(code: number, reason = ''): void {
    this.#socket.close(code, reason)
  }

  /** Breaks the connection off. */
  destroy(): void {
    this.#socket.terminate()
  }

  #each(tell: (listener: SocketListener) => void): void {
    for (const listener of Array.from(this.#listeners)) tell(listener)
  }
}
