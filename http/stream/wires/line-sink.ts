// The lines of one stream as WebSocket text messages: one for each line, without its newline.
import type { Sink, SinkListener } from '../sink.js'
import type { SocketOutput, SocketListener } from './socket-output.js'

const NEWLINE = 10

/** How the lines of a stream stand in their messages, and what its end means for the connection. */
export interface SocketLineFormat {
  readonly wrap: (line: Buffer) => Buffer
  /** The last line is on its way. */
  readonly onEnd: () => void
}

/** Streams that share a connection take turns: the one that wrote last comes last when the reader has taken something. */
export class LineSink implements Sink, SocketListener {
  #isUnderWay = false

  constructor(
    private readonly output: SocketOutput,
    private readonly form: SocketLineFormat,
    private readonly listener: SinkListener
  ) {
    output.add(this)
  }

  get isBusy(): boolean {
    return this.#isUnderWay || this.output.isFull
  }

  write(bytes: Buffer): void {
    this.#isUnderWay = true
    this.#send(bytes, () => {
      this.#isUnderWay = false
      this.onDrained()
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

  onDrained(): void {
    if (!this.isBusy) this.listener.onIdle()
  }

  onStuck(): void {
    this.listener.onStuck()
  }

  onClosed(): void {
    this.leave()
  }

  /** Ends the stream without a word: its reader has gone, or wants no more of it. */
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
