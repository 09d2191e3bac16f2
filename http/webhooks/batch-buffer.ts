// What a stream has written for a webhook and what was not yet sent: its lines, cut into batches.
import type { Batch } from '../../actors/webhook/delivery-machine.js'

/** What a batch may hold; a single message that is larger goes alone. */
export interface BatchLimits {
  /** Bytes of its messages. */
  readonly bytes: number
  readonly messages: number
}

interface Waiting {
  readonly line: Buffer
  readonly index: number
}

/** A line that is no message: it tells how far the stream is, or why it ended. */
interface ControlLine {
  readonly LastIndex?: number
}

const NEWLINE = 0x0a
const COMMA = Buffer.from(',')
/** Progress has the index 0 and no events. */
const MESSAGE = /^\{"Index":([1-9]\d*),/
/** Enough of a line to see whether it is a message. */
const HEAD_BYTES = 32

/** Takes the lines of a stream, in pieces that may end anywhere. Memory: what was added and not taken. */
export class BatchBuffer {
  #rest: Buffer[] = []
  #waiting: Waiting[] = []
  #bytes = 0
  #addedTo = 0

  /** @param cursor name of the cursor, which each batch tells */
  constructor(private readonly cursor: string) {}

  /** Bytes of the messages that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** Messages that wait. */
  get messages(): number {
    return this.#waiting.length
  }

  /** Everything selected up to this index was added; 0 before anything was. */
  get addedTo(): number {
    return this.#addedTo
  }

  /** Takes lines as the stream writes them. */
  add(piece: Buffer): void {
    let from = 0
    for (let to = piece.indexOf(NEWLINE); to >= 0; to = piece.indexOf(NEWLINE, from)) {
      const end = piece.subarray(from, to)
      this.#addLine(this.#rest.length === 0 ? end : Buffer.concat([...this.#rest, end]))
      this.#rest = []
      from = to + 1
    }
    if (from < piece.length) this.#rest.push(piece.subarray(from))
  }

  /** The next batch; undefined when no message waits. */
  take({ bytes, messages }: BatchLimits): Batch | undefined {
    let count = 0
    let size = 0
    for (const { line } of this.#waiting) {
      if (count > 0 && (count >= messages || size + line.length > bytes)) break
      size += line.length
      count++
    }
    return this.#take(count)
  }

  /** The messages up to an index as one batch; undefined when none of them waits. */
  takeUpTo(to: number): Batch | undefined {
    const after = this.#waiting.findIndex(({ index }) => index > to)
    return this.#take(after < 0 ? this.#waiting.length : after)
  }

  #take(count: number): Batch | undefined {
    const taken = this.#waiting.splice(0, count)
    const [first, last] = [taken.at(0), taken.at(-1)]
    if (!first || !last) return undefined
    this.#bytes -= taken.reduce((sum, { line }) => sum + line.length, 0)
    return { body: this.#bodyOf(taken, last.index), messages: count, from: first.index, to: last.index }
  }

  #addLine(line: Buffer): void {
    const [, index] = MESSAGE.exec(line.toString('latin1', 0, HEAD_BYTES)) ?? []
    if (index === undefined) {
      const { LastIndex = 0 }: ControlLine = JSON.parse(line.toString())
      this.#addedTo = Math.max(this.#addedTo, LastIndex)
      return
    }
    this.#waiting.push({ line, index: Number(index) })
    this.#bytes += line.length
    this.#addedTo = Number(index)
  }

  #bodyOf(messages: readonly Waiting[], to: number): Buffer {
    const lines = messages.flatMap(({ line }, i) => (i === 0 ? [line] : [COMMA, line]))
    const end = `],"Cursor":${JSON.stringify(this.cursor)},"LastIndex":${to}}`
    return Buffer.concat([Buffer.from('{"Messages":['), ...lines, Buffer.from(end)])
  }
}
