// The sink of one stream on a WebSocket: a text message per line, without its newline.
import type { Sink, SinkListener } from '../sink.js'
import type { SocketOutput, SocketListener } from './socket-output.js'

const NEWLINE = 10

export interface SocketLineFormat {
  readonly wrap: (line: Buffer) => Buffer
  /** Called after the last line was sent. */
  readonly onEnd: () => void
}

/** Streams that share a connection take turns: the last writer is notified last. */
export class LineSink implements Sink, SocketListener {
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
