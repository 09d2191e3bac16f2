// Sends what a worker gathers, a moment's together, and no more before that is sent: what waits is bounded by what is gathered.
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
