import { WebSocket } from 'ws'
import { FINAL_LINE_TIMEOUT_MS, StalledReaderDetector, SLICE_BYTES } from '../delivery.js'
import type { Sink, SinkListener } from '../sink.js'

/** The limit of pending bytes, above which no stream adds a piece. */
const MOST_WAITING_BYTES = 64 * 1024

export class SocketOutput {
  readonly #listeners = new Set<SinkListener>()
  readonly #watch: StalledReaderDetector
  #waitingBytes = 0
  #finalTimeout: NodeJS.Timeout | undefined

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
      if (wasFull && !this.isFull) this.#each(listener => listener.onIdle())
    })
  }

  #stuck(): void {
    if (this.#finalTimeout || this.socket.readyState !== WebSocket.OPEN) return this.destroy()
    this.#finalTimeout = setTimeout(() => this.destroy(), FINAL_LINE_TIMEOUT_MS).unref()
    this.#each(listener => listener.onStuck())
  }

  add(listener: SinkListener): void {
    this.#listeners.delete(listener)
    this.#listeners.add(listener)
    if (this.socket.readyState !== WebSocket.OPEN) setImmediate(() => listener.onClosed())
  }

  delete(listener: SinkListener): void {
    this.#listeners.delete(listener)
  }

  /** Closes after everything pending is sent. */
  close(code: number, reason = ''): void {
    this.socket.close(code, reason)
  }

  destroy(): void {
    this.socket.terminate()
  }

  #each(notify: (listener: SinkListener) => void): void {
    for (const listener of Array.from(this.#listeners)) notify(listener)
  }
}

const NEWLINE = 10

export interface SocketLineFormat {
  readonly wrap: (line: Buffer) => Buffer
  /** Called after the last line was sent. */
  readonly onEnd: () => void
}

/** Streams that share a connection take turns: the last writer is notified last. */
export class LineSink implements Sink, SinkListener {
  #isActive = false

  constructor(
    private readonly output: SocketOutput,
    private readonly form: SocketLineFormat,
    private readonly listener: SinkListener
  ) {
    output.add(this)
  }

  get isBusy(): boolean {
    return this.#isActive || this.output.isFull
  }

  write(bytes: Buffer): void {
    this.#isActive = true
    this.#send(bytes, () => {
      this.#isActive = false
      this.onIdle()
    })
    this.output.add(this)
  }

  end(bytes: Buffer): void {
    this.output.delete(this)
    this.#send(bytes, () => {})
    this.form.onEnd()
  }

  destroy(): void {
    this.output.destroy()
  }

  onIdle(): void {
    if (!this.isBusy) this.listener.onIdle()
  }

  onStuck(): void {
    this.listener.onStuck()
  }

  onClosed(): void {
    this.leave()
  }

  /** Closes the stream without a last line. */
  leave(): void {
    this.output.delete(this)
    this.listener.onClosed()
  }

  #send(bytes: Buffer, taken: () => void): void {
    let from = 0
    while (from < bytes.length) {
      const end = bytes.indexOf(NEWLINE, from)
      const isLast = end + 1 === bytes.length
      this.output.send(this.form.wrap(bytes.subarray(from, end)), isLast ? taken : undefined)
      from = end + 1
    }
  }
}
