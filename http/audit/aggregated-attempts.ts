// Denied attempts of a short period: repetitions of one attempt are aggregated.
import type { DeniedAttempt } from './denied-attempt.js'

/** Different attempts of a moment that are kept; the others are counted. */
const MOST = 256

/** What was tried, and how often. */
export interface CountedAttempt {
  readonly attempt: DeniedAttempt
  readonly count: number
}

export class AggregatedAttempts<Kept> {
  #tried = new Map<string, { readonly kept: Kept; count: number }>()
  #leftOut = 0

  /** @param keptOf what is kept of an attempt, when it is the first of its kind */
  constructor(private readonly keptOf: (attempt: DeniedAttempt) => Kept) {}

  add(attempt: DeniedAttempt, count = 1): void {
    const { accessor, address, method, url, lacking, refusal } = attempt
    const { permission, on, tenancy } = lacking ?? {}
    const key = JSON.stringify([accessor, address, method, url, permission, on, tenancy, refusal])
    const tried = this.#tried.get(key)
    if (tried) tried.count += count
    else if (this.#tried.size < MOST) this.#tried.set(key, { kept: this.keptOf(attempt), count })
    else this.#leftOut += count
  }

  /** Counts attempts that are not recorded. */
  leaveOut(count: number): void {
    this.#leftOut += count
  }

  /** What was gathered since the last call. */
  take(): {
    readonly tried: readonly { readonly kept: Kept; readonly count: number }[]
    readonly leftOut: number
  } {
    const [tried, leftOut] = [[...this.#tried.values()], this.#leftOut]
    this.#tried = new Map()
    this.#leftOut = 0
    return { tried, leftOut }
  }
}
