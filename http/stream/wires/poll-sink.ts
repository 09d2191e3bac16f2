import { isObject } from '../../../events/values.js'
import { messageIndexOf } from '../control-lines.js'
import type { Sink, SinkListener } from '../sink.js'

export type PollOutcome =
  /** Messages without newlines, and the last index that they cover. */
  | { readonly lines: readonly Buffer[]; readonly index: number }
  | { readonly code: number; readonly message: string; readonly index: number }

const NEWLINE = 10

/** Ends its stream with the first piece that has messages, or without messages when the stream ends, or is live and the poll does not wait. */
export class PollSink implements Sink {
  readonly outcome: Promise<PollOutcome>
  #listener: SinkListener | undefined
  #isDone = false
  #index = 0
  #resolve: (outcome: PollOutcome) => void = () => {}

  constructor(private readonly waits: boolean) {
    this.outcome = new Promise(resolve => (this.#resolve = resolve))
  }

  for(listener: SinkListener): this {
    this.#listener = listener
    return this
  }

  get isBusy(): boolean {
    return this.#isDone
  }

  write(bytes: Buffer): void {
    this.#take(bytes, false)
  }

  end(bytes: Buffer): void {
    this.#take(bytes, true)
  }

  destroy(): void {
    this.finish({ lines: [], index: this.#index })
  }

  finish(outcome: PollOutcome): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#resolve(outcome)
    this.#listener?.onClosed()
  }

  #take(bytes: Buffer, isLast: boolean): void {
    const lines: Buffer[] = []
    for (let from = 0; from < bytes.length;) {
      const end = bytes.indexOf(NEWLINE, from)
      const line = bytes.subarray(from, end)
      from = end + 1
      const index = messageIndexOf(line)
      if (index === undefined) this.#control(JSON.parse(line.toString()), isLast)
      else {
        lines.push(line)
        this.#index = index
      }
    }
    if (lines.length > 0) this.finish({ lines, index: this.#index })
  }

  #control(line: unknown, isLast: boolean): void {
    if (!isObject(line) || typeof line['LastIndex'] !== 'number') return
    const { LastIndex: index, Error: error, CaughtUp: caughtUp } = line
    this.#index = index
    if (isObject(error))
      this.finish({ code: Number(error['Code']), message: String(error['Message']), index })
    else if (isLast || (caughtUp === true && !this.waits)) this.finish({ lines: [], index })
  }
}
