import { jsonArrayOf, messageIndexOf } from '../stream/control-lines.js'
import type { Sink, SinkListener } from '../stream/sink.js'
import type { Batch } from '../../actors/webhook/delivery-machine.js'

/** The limits of a batch; a single larger message is sent alone. */
export interface BatchLimits {
  readonly bytes: number
  readonly messages: number
}

interface BufferedMessage {
  readonly line: Buffer
  readonly index: number
}

const NEWLINE = 0x0a

export class BatchBuffer {
  /** The beginning of an incomplete line. */
  #incomplete: Buffer[] = []
  #messages: BufferedMessage[] = []
  #bytes = 0
  #addedTo = 0

  constructor(private readonly cursor: string) {}

  get bytes(): number {
    return this.#bytes
  }

  get messages(): number {
    return this.#messages.length
  }

  /** The index up to which every selected event was added; 0 if none was. */
  get addedTo(): number {
    return this.#addedTo
  }

  add(piece: Buffer): void {
    let from = 0
    for (let to = piece.indexOf(NEWLINE); to >= 0; to = piece.indexOf(NEWLINE, from)) {
      const end = piece.subarray(from, to)
      this.#addLine(this.#incomplete.length === 0 ? end : Buffer.concat([...this.#incomplete, end]))
      this.#incomplete = []
      from = to + 1
    }
    if (from < piece.length) this.#incomplete.push(piece.subarray(from))
  }

  /** Removes and returns the next batch; undefined if empty. */
  take({ bytes, messages }: BatchLimits): Batch | undefined {
    let count = 0
    let size = 0
    for (const { line } of this.#messages) {
      if (count > 0 && (count >= messages || size + line.length > bytes)) break
      size += line.length
      count++
    }
    return this.#take(count)
  }

  /** Removes and returns the messages up to an index as one batch; undefined if there are none. */
  takeUpTo(to: number): Batch | undefined {
    const after = this.#messages.findIndex(({ index }) => index > to)
    return this.#take(after < 0 ? this.#messages.length : after)
  }

  #take(count: number): Batch | undefined {
    const taken = this.#messages.splice(0, count)
    const [first, last] = [taken.at(0), taken.at(-1)]
    if (!first || !last) return undefined
    this.#bytes -= taken.reduce((sum, { line }) => sum + line.length, 0)
    return { body: this.#bodyOf(taken, last.index), messages: count, from: first.index, to: last.index }
  }

  #addLine(line: Buffer): void {
    const index = messageIndexOf(line)
    if (index === undefined) {
      const { LastIndex = 0 }: { readonly LastIndex?: number } = JSON.parse(line.toString())
      this.#addedTo = Math.max(this.#addedTo, LastIndex)
      return
    }
    this.#messages.push({ line, index })
    this.#bytes += line.length
    this.#addedTo = index
  }

  #bodyOf(messages: readonly BufferedMessage[], to: number): Buffer {
    const end = `,"Cursor":${JSON.stringify(this.cursor)},"LastIndex":${to}}`
    const lines = jsonArrayOf(messages.map(({ line }) => line))
    return Buffer.concat([Buffer.from('{"Messages":'), lines, Buffer.from(end)])
  }
}

interface WebhookSinkOwner {
  limits(): BatchLimits
  onWritten(): void
  onEnded(code: number, message: string): void
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
    const { Error: error }: { readonly Error?: { readonly Code: number; readonly Message: string } } =
      JSON.parse(bytes.toString())
    this.owner.onEnded(error?.Code ?? 0, error?.Message ?? '')
  }

  destroy(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.listener.onClosed()
  }

  resume(): void {
    if (this.#isNotifying || this.isBusy) return
    this.#isNotifying = true
    setImmediate(() => {
      this.#isNotifying = false
      if (!this.#isClosed && !this.isBusy) this.listener.onIdle()
    })
  }
}
