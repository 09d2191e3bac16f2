import type { Connection } from './connection.js'
import { isTransient } from './failures.js'
import { backoff, pause } from './backoff.js'

/** Moves one cursor forward. Of the indexes that arrive during a move, only the newest is sent. */
export class CursorPosition {
  readonly #path: string
  /** The position on the server. */
  #stands: number | undefined
  #wanted = 0
  #moving: Promise<void> | undefined
  #failure: unknown

  constructor(
    private readonly connection: Connection,
    name: string,
    private readonly signal: AbortSignal
  ) {
    this.#path = `/v1/event/cursor/${encodeURIComponent(name)}`
  }

  /** Acknowledges everything up to this index. @throws the failure of an earlier move */
  moveTo(index: number): void {
    if (this.#failure !== undefined) throw this.#failure
    this.#wanted = Math.max(this.#wanted, index)
    if (this.#moving) return
    this.#moving = this.#move().finally(() => {
      this.#moving = undefined
    })
    // Reported to waiting callers, or with the next move.
    this.#moving.catch((error: unknown) => {
      this.#failure = error
    })
  }

  /** Resolves when the server has stored all moves. @throws RequestRefused */
  async settled(): Promise<void> {
    await this.#moving
    if (this.#failure !== undefined) throw this.#failure
  }

  async #move(): Promise<void> {
    for (let failures = 0; ;) {
      try {
        this.#stands ??= await this.#read()
        if (this.#stands >= this.#wanted) return
        const Index = this.#wanted
        const query = { cas: this.#stands }
        const answer = await this.connection.request('PUT', this.#path, {
          query,
          body: { Index },
          signal: this.signal
        })
        failures = 0
        // After a move by another reader, or by an attempt whose response was lost, the position is read again.
        this.#stands = (await answer.json<boolean>()) ? Index : undefined
      } catch (error) {
        if (!isTransient(error)) throw error
        this.#stands = undefined
        await pause(backoff(++failures), this.signal)
      }
    }
  }

  async #read(): Promise<number> {
    const answer = await this.connection.request('GET', this.#path, { signal: this.signal })
    return (await answer.json<{ readonly Index: number }>()).Index
  }
}
