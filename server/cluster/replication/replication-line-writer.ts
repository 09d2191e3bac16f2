// Writes lines to a response, with backpressure. The connection closes with the response.
import type { ServerResponse } from 'node:http'
import type { Timers } from '../../../actors/clock.js'
import { onceClosed } from '../../../http/stream/sink.js'

/** Timeout of a reader that takes no data. */
const STUCK_MS = 10_000
/** Time for the remaining data to arrive after the end. */
const DRAIN_MS = 2000

export class ReplicationLineWriter {
  readonly #gone = new AbortController()

  /** @param seal encodes a line */
  constructor(
    private readonly response: ServerResponse,
    private readonly seal: (text: string) => string,
    private readonly timers: Timers
  ) {
    onceClosed(response, () => this.#gone.abort())
  }

  /** Aborts when the reader has disconnected, or is stuck. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** Resolves when another line may follow, or the reader has disconnected. */
  async write(text: string): Promise<void> {
    if (this.#gone.signal.aborted || this.response.write(`${this.seal(text)}\n`)) return
    const stuck = this.timers.setTimeout(() => this.giveUp(), STUCK_MS)
    await new Promise<void>(resolve => {
      const resume = (): void => {
        this.response.off('drain', resume)
        this.#gone.signal.removeEventListener('abort', resume)
        resolve()
      }
      this.response.once('drain', resume)
      this.#gone.signal.addEventListener('abort', resume)
    })
    this.timers.clearTimeout(stuck)
  }

  /** Destroys the connection without sending the rest. */
  giveUp(): void {
    this.#gone.abort()
    this.response.destroy()
  }

  /** Closes the connection after the rest was sent, or after the timeout. */
  end(): void {
    if (this.response.writableEnded || this.#gone.signal.aborted) return
    this.response.end()
    const late = this.timers.setTimeout(() => this.giveUp(), DRAIN_MS)
    this.#gone.signal.addEventListener('abort', () => this.timers.clearTimeout(late))
  }
}
