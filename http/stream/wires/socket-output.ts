// What is on its way to the reader of a WebSocket, however many streams it carries.
import { WebSocket } from 'ws'
import { FINAL_LINE_TIMEOUT_MS, StalledReaderDetector, SLICE_BYTES } from '../stalled-reader-detector.js'

/** Bytes after which no stream adds another piece until the reader has taken some. */
const MOST_WAITING_BYTES = 64 * 1024

export interface SocketListener {
  /** There is room again. */
  onDrained(): void
  /** The reader takes nothing any more; the connection is broken off soon. */
  onStuck(): void
  /** The connection is gone. */
  onClosed(): void
}

export class SocketOutput {
  readonly #listeners = new Set<SocketListener>()
  readonly #watch: StalledReaderDetector
  #waitingBytes = 0
  #lastChance: NodeJS.Timeout | undefined

  /** @param stuckMs the streams are ended when the reader takes nothing for so long */
  constructor(
    private readonly socket: WebSocket,
    stuckMs: number
  ) {
    this.#watch = new StalledReaderDetector(stuckMs, () => this.#stuck())
    // What is wrong with the connection closes it, and that is what counts.
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(this.#lastChance)
      this.#watch.rests()
      this.#each(listener => listener.onClosed())
    })
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
    if (this.#lastChance || this.socket.readyState !== WebSocket.OPEN) return this.destroy()
    this.#lastChance = setTimeout(() => this.destroy(), FINAL_LINE_TIMEOUT_MS).unref()
    this.#each(listener => listener.onStuck())
  }

  /** Adds a listener, or moves it behind all others: those that come first are told first. */
  add(listener: SocketListener): void {
    this.#listeners.delete(listener)
    this.#listeners.add(listener)
    if (this.socket.readyState !== WebSocket.OPEN) setImmediate(() => listener.onClosed())
  }

  delete(listener: SocketListener): void {
    this.#listeners.delete(listener)
  }

  /** Closes after whatever is on its way. */
  close(code: number, reason = ''): void {
    this.socket.close(code, reason)
  }

  /** Breaks the connection off. */
  destroy(): void {
    this.socket.terminate()
  }

  #each(tell: (listener: SocketListener) => void): void {
    for (const listener of Array.from(this.#listeners)) tell(listener)
  }
}
