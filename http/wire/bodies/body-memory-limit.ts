import { Refusal } from '../../../actors/refusal.js'

/** Counts the bytes of all request bodies that are in memory or on disk, and limits their total. */
export class BodyMemoryLimit {
  #held = 0

  /**
   * @param limit bytes, read at each reservation
   * @param setting the setting's name, for refusals
   */
  constructor(
    private readonly limit: () => number,
    private readonly setting: string
  ) {}

  get held(): number {
    return this.#held
  }

  /** Reserves bytes. Returns false, without reserving, if they would exceed the limit. */
  reserve(bytes: number): boolean {
    if (this.#held + bytes > this.limit()) return false
    this.#held += bytes
    return true
  }

  release(bytes: number): void {
    this.#held -= bytes
  }

  /** The refusal of a body that exceeds the remaining limit. */
  refusal(): Refusal {
    return new Refusal(
      'unavailable',
      `The bodies of all requests together are too large just now: the limit is ${this.limit()} bytes (${this.setting}). Try again later`
    )
  }
}
