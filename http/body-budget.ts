// How much memory the bodies of all requests together may take.
import { Refusal } from '../actors/refusal.js'

/** Counts the bytes of bodies that are in memory: those that arrive, and those of requests that are not answered yet. */
export class BodyBudget {
  readonly #limit: () => number
  #held = 0

  /** @param limit bytes, asked for anew each time */
  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** Bytes in memory now. */
  get held(): number {
    return this.#held
  }

  /** False, and nothing changes, when so many bytes more would be too many. */
  reserve(bytes: number): boolean {
    if (this.#held + bytes > this.#limit()) return false
    this.#held += bytes
    return true
  }

  /** Gives back what was reserved. */
  release(bytes: number): void {
    this.#held -= bytes
  }

  /** What a request is told whose body finds no room. */
  refusal(): Refusal {
    return new Refusal(
      'unavailable',
      `The bodies of all requests together are too large just now: the limit is ${this.#limit()} bytes (limits.http_body_bytes_total). Try again later`
    )
  }
}
