// Lines as the body of a response, the last one of its connection: the next one is written when the reader has taken enough of those before.
import type { ServerResponse } from 'node:http'
import type { Timers } from '../../../actors/timers.js'
import { onceClosed } from '../../../http/stream/sink.js'

/** A reader that takes nothing for so long has gone. */
const STUCK_MS = 10_000
/** What was written must have arrived so long after the end. */
const LAST_MS = 2000

export class ReplicationLineWriter {
  readonly #gone = new AbortController()

  /** @param seal what a line becomes before it is written */
  constructor(
    private readonly response: ServerResponse,
    private readonly seal: (text: string) => string,
    private readonly timers: Timers
  ) {
    onceClosed(response, () => this.#gone.abort())
  }

  /** Aborts when the reader has gone, or takes nothing. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** Resolves when another one may follow, or the reader has gone. */
  async write(text: string): Promise<void> {
    if (this.#gone.signal.aborted || this.response.write(`${this.seal(text)}\n`)) return
    const stuck = this.timers.setTimeout(() => this.giveUp(), STUCK_MS)
    await new Promise<void>(resolve => {
      const go = (): void => {
        this.response.off('drain', go)
        this.#gone.signal.removeEventListener('abort', go)
        resolve()
      }
      this.response.once('drain', go)
      this.#gone.signal.addEventListener('abort', go)
    })
    this.timers.clearTimeout(stuck)
  }

  /** Breaks the connection off: what was written need not arrive. */
  giveUp(): void {
    this.#gone.abort()
    this.response.destroy()
  }

  /** Ends it, and the connection, when everything was taken; breaks it off when that takes long. */
  end(): void {
    if (this.response.writableEnded || this.#gone.signal.aborted) return
    this.response.end()
    const late = this.timers.setTimeout(() => this.giveUp(), LAST_MS)
    this.#gone.signal.addEventListener('abort', () => this.timers.clearTimeout(late))
  }
}
