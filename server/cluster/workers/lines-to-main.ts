// The lines that a worker logs, while somebody at the main process follows the log.
import type { LineLevel, LogLines } from '../../telemetry/logging/lines.js'
import type { FromWorker } from './message-types.js'

const MOMENT_MS = 100

/** Tells the main process something. @param sent called when the system has taken it */
export type SendToMain = (message: FromWorker, sent?: () => void) => void

export class MessageBatches {
  #timer: NodeJS.Timeout | undefined
  #isUnderWay = false

  /** @param take takes what was gathered; undefined when that is nothing */
  constructor(
    private readonly take: () => FromWorker | undefined,
    private readonly tell: SendToMain
  ) {}

  /** Something was gathered: it is sent soon. */
  wake(): void {
    if (!this.#isUnderWay) this.#timer ??= setTimeout(() => this.flush(), MOMENT_MS).unref()
  }

  /** Sends it now. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const message = this.take()
    if (!message) return
    this.#isUnderWay = true
    this.tell(message, () => {
      this.#isUnderWay = false
      this.wake()
    })
  }
}

/** Of a moment; those beyond are counted. */
const MOST_LINES = 1000

export class LinesToMain {
  readonly #batches: MessageBatches
  #waiting: string[] = []
  #leftOut = 0
  #stop: (() => void) | undefined

  constructor(
    private readonly lines: LogLines,
    tell: SendToMain
  ) {
    this.#batches = new MessageBatches(() => this.#take(), tell)
  }

  /** Sends the lines from a level on; none where it is undefined. */
  follow(lowest: LineLevel | undefined): void {
    this.#stop?.()
    this.#stop = lowest && this.lines.follow(line => this.#gather(line), lowest)
  }

  #gather(line: string): void {
    if (this.#waiting.length < MOST_LINES) this.#waiting.push(line)
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
