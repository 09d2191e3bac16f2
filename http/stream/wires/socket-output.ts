// The output of a WebSocket, shared by all of its streams.
import { WebSocket } from 'ws'
import { FINAL_LINE_TIMEOUT_MS, StalledReaderDetector, SLICE_BYTES } from '../stalled-reader-detector.js'

/** The limit of pending bytes, above which no stream adds a piece. */
const MOST_WAITING_BYTES = 64 * 1024

export interface SocketListener {
  /** Output is accepted again. */
  onDrained(): void
  /** The reader receives nothing; the connection is aborted soon. */
  onStuck(): void
  onClosed(): void
}

export class SocketOutput {
  readonly #listeners = new Set<SocketListener>()
  readonly #watch: StalledReaderDetector
  #waitingBytes = 0
  #finalTimeout: NodeJS.Timeout | undefined

  /** @param stuckMs timeout of a reader that receives nothing */
  constructor(
    private readonly socket: WebSocket,
    stuckMs: number
  ) {
    this.#watch = new StalledReaderDetector(stuckMs, () => this.#stuck())
    // Every error is followed by `close`.
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(this.#finalTimeout)
      this.#watch.rests()
      this.#each(listener => listener.onClosed())
    })
  }

  get isBusy(): boolean {
    return this.#waitingBytes > 0
  }

  get isFull(): boolean {
    return this.#waitingBytes >= MOST_WAITING_BYTES
  }

  /** Sends a text message. @param taken called after it was passed to the system */
  send(text: Buffer, taken?: () => void): void {
    if (this.#waitingBytes === 0) this.#watch.waits()
    this.#waitingBytes += text.length
    let from = 0
    for (; from + SLICE_BYTES < text.length; from += SLICE_BYTES)
      this.#fragment(text.subarray(from, from + SLICE_BYTES), false)
    this.#fragment(text.subarray(from), true, taken)
  }

  #fragment(text: Buffer, fin: boolean, taken?: () => void): void {
    this.socket.send(text, { binary: false, fin }, () => {
      const wasFull = this.isFull
      this.#waitingBytes -= text.length
      if (this.#waitingBytes > 0) this.#watch.waits()
      else this.#watch.rests()
      taken?.()
      if (wasFull && !this.isFull) this.#each(listener => listener.onDrained())
    })
  }

  #stuck(): void {
    if (this.#finalTimeout || this.socket.readyState !== WebSocket.OPEN) return this.destroy()
    this.#finalTimeout = setTimeout(() => this.destroy(), FINAL_LINE_TIMEOUT_MS).unref()
    this.#each(listener => listener.onStuck())
  }

  /** Adds a listener, or moves it to the end of the notification order. */
  add(listener: SocketListener): void {
    this.#listeners.delete(listener)
    this.#listeners.add(listener)
    if (this.socket.readyState !== WebSocket.OPEN) setImmediate(() => listener.onClosed())
  }

  delete(listener: SocketListener): void {
    this.#listeners.delete(listener)
  }

  /** Closes after everything pending is sent. */
  close(code: number, reason = ''): void {
    this.socket.close(code, reason)
  }

  destroy(): void {
    this.socket.terminate()
  }

  #each(notify: (listener: SocketListener) => void): void {
    for (const listener of Array.from(this.#listeners)) notify(listener)
  }
}
