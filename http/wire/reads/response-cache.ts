// Results of reads that are given again until they are too old (spec: state.md §12, "simple").
import type { Clock } from '../../../actors/clock.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import { RecentlyUsed } from '../../../projections/recently-used.js'

/** No result is given again after this time. */
export const CACHE_LIFETIME_MS = 3 * 24 * 3600_000
const MOST_ENTRIES = 10_000
const MOST_BYTES = 64 * 1024 * 1024
export const CACHE_LIMITS = { count: MOST_ENTRIES, size: MOST_BYTES }

interface Entry<Result> {
  readonly result: Result
  /** Epoch milliseconds. */
  readonly at: number
  /** The rights under which it was made: with others it is not given. */
  readonly authorizer: Authorizer
}

/** A result that was kept, and its age in seconds. */
interface KeptResult<Result> {
  readonly result: Result
  readonly age: number
}

/** Memory: at most 10,000 results of together 64 MB; those go first whose last use is the longest ago. */
export class ResponseCache<Result> {
  readonly #entries: RecentlyUsed<Entry<Result>>

  /** @param sizeOf bytes of a result */
  constructor(
    private readonly clock: Clock,
    sizeOf: (result: Result) => number
  ) {
    this.#entries = new RecentlyUsed(CACHE_LIMITS, ({ result }) => sizeOf(result))
  }

  find(key: string, authorizer: Authorizer): KeptResult<Result> | undefined {
    const entry = this.#entries.get(key)
    if (!entry || entry.authorizer !== authorizer) return undefined
    const age = this.clock.elapsed() - entry.at
    return age < CACHE_LIFETIME_MS ? { result: entry.result, age: age / 1000 } : undefined
  }

  keep(key: string, result: Result, authorizer: Authorizer): void {
    this.#entries.set(key, { result, authorizer, at: this.clock.elapsed() })
  }
}
