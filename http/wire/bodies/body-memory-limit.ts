// How much the bodies of all requests together may take, in memory or on disk.
import { Refusal } from '../../../actors/refusal.js'

/** Counts the bytes of bodies that are kept: those that arrive, and those of requests that are not answered yet. */
export class BodyMemoryLimit {
  #held = 0

  /**
   * @param limit bytes, asked for anew each time
   * @param setting where it stands
   */
  constructor(
    private readonly limit: () => number,
    private readonly setting: string
  ) {}

  /** Bytes that are kept now. */
  get held(): number {
    return this.#held
  }

  /** False, and nothing changes, when so many bytes more would be too many. */
  reserve(bytes: number): boolean {
    if (this.#held + bytes > this.limit()) return false
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
      `The bodies of all requests together are too large just now: the limit is ${this.limit()} bytes (${this.setting}). Try again later`
    )
  }
}
