// The lines that a worker logs, while somebody at the main process follows the log.
import type { LineLevel, LogLines } from '../../telemetry/logging/lines.js'
import { MessageBatches, type SendToMain } from './message-batches.js'

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
