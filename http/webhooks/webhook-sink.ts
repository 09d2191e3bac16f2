// The sink of a webhook's stream, which buffers it until there is a batch.
import type { Sink, SinkListener } from '../stream/sink.js'
import type { BatchBuffer, BatchLimits } from './batch-buffer.js'

interface WebhookSinkOwner {
  /** Returns the limits of the buffer. */
  limits(): BatchLimits
  onWritten(): void
  onEnded(code: number, message: string): void
}

interface LastLine {
  readonly Error?: { readonly Code: number; readonly Message: string }
}

/** Accepts more while less than a batch is buffered, so that the next batch grows during a request. */
export class WebhookSink implements Sink {
  #isNotifying = false
  #isClosed = false

  constructor(
    private readonly buffer: BatchBuffer,
    private readonly owner: WebhookSinkOwner,
    private readonly listener: SinkListener
  ) {}

  get isBusy(): boolean {
    const { bytes, messages } = this.owner.limits()
    return this.buffer.bytes >= bytes || this.buffer.messages >= messages
  }

  write(bytes: Buffer): void {
    this.buffer.add(Buffer.from(bytes))
    this.owner.onWritten()
    this.resume()
  }

  end(bytes: Buffer): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const { Error: error }: LastLine = JSON.parse(bytes.toString())
    this.owner.onEnded(error?.Code ?? 0, error?.Message ?? '')
  }

  destroy(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.listener.onClosed()
  }

  /** Resumes the stream asynchronously if there is room. */
  resume(): void {
    if (this.#isNotifying || this.isBusy) return
    this.#isNotifying = true
    setImmediate(() => {
      this.#isNotifying = false
      if (!this.#isClosed && !this.isBusy) this.listener.onIdle()
    })
  }
}
