// The end of a stream that is sent to a webhook: what the stream writes waits here until it makes a batch.
import type { Sink, SinkListener } from '../stream/sink.js'
import type { BatchBuffer, BatchLimits } from './batch-buffer.js'

/** What whoever delivers is told. */
interface WebhookSinkOwner {
  /** How much may wait. */
  limits(): BatchLimits
  /** Something was written. */
  onWritten(): void
  /** The server has ended the stream; the text says why. */
  onEnded(code: number, message: string): void
}

interface LastLine {
  readonly Error?: { readonly Code: number; readonly Message: string }
}

/** Takes more as long as less than a batch waits, so that the next batch grows while one is under way. */
export class WebhookSink implements Sink {
  #isTelling = false
  #isClosed = false

  constructor(
    private readonly backlog: BatchBuffer,
    private readonly owner: WebhookSinkOwner,
    private readonly listener: SinkListener
  ) {}

  get isBusy(): boolean {
    const { bytes, messages } = this.owner.limits()
    return this.backlog.bytes >= bytes || this.backlog.messages >= messages
  }

  write(bytes: Buffer): void {
    this.backlog.add(Buffer.from(bytes))
    this.owner.onWritten()
    this.look()
  }

  end(bytes: Buffer): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const { Error: error }: LastLine = JSON.parse(bytes.toString())
    this.owner.onEnded(error?.Code ?? 0, error?.Message ?? '')
  }

  /** Closes the stream from this side. */
  destroy(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.listener.onClosed()
  }

  /** Lets the stream go on, if there is room; never before whoever calls has done. */
  look(): void {
    if (this.#isTelling || this.isBusy) return
    this.#isTelling = true
    setImmediate(() => {
      this.#isTelling = false
      if (!this.#isClosed && !this.isBusy) this.listener.onIdle()
    })
  }
}
