// Sends the log lines of a worker to the main process while a client follows the log there.
import type { LineLevel, LogLines } from '../../telemetry/logging/lines.js'
import type { FromWorker } from './message-types.js'

const BATCH_MS = 100

/** @param sent called when the message was handed to the system */
export type SendToMain = (message: FromWorker, sent?: () => void) => void

export class MessageBatches {
  #timer: NodeJS.Timeout | undefined
  #isSending = false

  /** @param take takes the collected message; undefined if there is none */
  constructor(
    private readonly take: () => FromWorker | undefined,
    private readonly send: SendToMain
  ) {}

  /** Call after collecting something: it is sent soon. */
  wake(): void {
    if (!this.#isSending) this.#timer ??= setTimeout(() => this.flush(), BATCH_MS).unref()
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const message = this.take()
    if (!message) return
    this.#isSending = true
    this.send(message, () => {
      this.#isSending = false
      this.wake()
    })
  }
}

/** Limit of a batch. Further lines are only counted. */
const MAX_LINES = 1000

export class LinesToMain {
  readonly #batches: MessageBatches
  #waiting: string[] = []
  #leftOut = 0
  #stop: (() => void) | undefined

  constructor(
    private readonly lines: LogLines,
    send: SendToMain
  ) {
    this.#batches = new MessageBatches(() => this.#take(), send)
  }

  /** Sends lines from a level on; none for undefined. */
  follow(lowest: LineLevel | undefined): void {
    this.#stop?.()
    this.#stop = lowest && this.lines.follow(line => this.#collect(line), lowest)
  }

  #collect(line: string): void {
    if (this.#waiting.length < MAX_LINES) this.#waiting.push(line)
    else this.#leftOut++
    this.#batches.wake()
  }

  #take() {
    const [lines, leftOut] = [this.#waiting, this.#leftOut]
    this.#waiting = []
    this.#leftOut = 0
    return lines.length === 0 ? undefined : ({ kind: 'lines', lines, leftOut } as const)
  }
}
