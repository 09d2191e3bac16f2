// TTLs, in whole seconds (spec: queries.md §8.4).
import { parseMilliseconds } from '../../events/duration.js'
import { RadixTree } from '../../projections/radix-tree.js'

const seconds = (ms: number): number => Math.trunc(ms / 1000)

/**
 * TTLs of services by name: of the exact name, else of the longest `prefix*`, else 0. A lookup costs the
 * length of the name.
 */
export class ServiceTimes {
  readonly #exact = new Map<string, number>()
  readonly #prefixes = new RadixTree<number>()

  /** @param configured milliseconds by name or pattern */
  constructor(configured: Readonly<Record<string, number>>) {
    for (const [name, ms] of Object.entries(configured))
      if (name.endsWith('*')) this.#prefixes.insert(name.slice(0, -1).toLowerCase(), seconds(ms))
      else this.#exact.set(name.toLowerCase(), seconds(ms))
  }

  of(service: string): number {
    const name = service.toLowerCase()
    return this.#exact.get(name) ?? this.#prefixes.longestPrefix(name) ?? 0
  }
}

/** The TTL of a query; undefined when it has none. */
export const queryTime = (ttl: string): number | undefined => {
  const ms = ttl === '' ? undefined : parseMilliseconds(ttl)
  return ms === undefined ? undefined : seconds(ms)
}
