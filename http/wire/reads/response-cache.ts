import { cacheLimits } from '../../../events/cache-limits.js'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../actors/clock.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import { invalid } from '../../../actors/refusal.js'

/** The client's limits on the age of a response. Ages in seconds. */
export interface CacheDirectives {
  readonly maxAge: number | undefined
  readonly mustRevalidate: boolean
  /** Maximum age of a response that replaces an error. */
  readonly staleIfError: number | undefined
}

const NONE: CacheDirectives = { maxAge: undefined, mustRevalidate: false, staleIfError: undefined }
const INTEGER = /^[+-]?\d{1,18}$/

/**
 * Parses directives in any letter case, separated by commas. Unknown ones are ignored.
 * @throws Refusal `invalid` when `max-age` or `stale-if-error` is not an integer
 */
export const cacheDirectives = (header: string | undefined): CacheDirectives => {
  if (!header) return NONE
  let { maxAge, mustRevalidate, staleIfError } = NONE
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', value = ''] = part.trim().split('=', 2)
    switch (name) {
      case 'must-revalidate':
        mustRevalidate = true
        break
      case 'max-age':
        maxAge = seconds(name, value)
        break
      case 'stale-if-error':
        staleIfError = seconds(name, value)
        break
    }
  }
  return { maxAge, mustRevalidate, staleIfError }
}

const seconds = (name: string, value: string): number => {
  if (!INTEGER.test(value))
    throw invalid(
      'read.invalid',
      `Invalid Cache-Control header. ${name} must be an integer of seconds, not '${value}'`
    )
  return Number(value)
}

export const CACHE_LIFETIME_MS = 3 * 24 * 3600_000
/** @param sizeOf returns bytes and characters of keys */
export const readCacheLimits = <Value>(sizeOf: (value: Value, key: string) => number) =>
  cacheLimits(10_000, 64 * 1024 * 1024, sizeOf)

interface Entry<Result> {
  readonly result: Result
  /** Epoch milliseconds. */
  readonly at: number
  /** The permissions that the result was created with, which a reader must have. */
  readonly authorizer: Authorizer
}

/** Memory: at most 10,000 results of together 64 MB; the least recently used are evicted. */
export class ResponseCache<Result> {
  readonly #entries: LRUCache<string, Entry<Result>>

  /** @param sizeOf in bytes */
  constructor(
    private readonly clock: Clock,
    sizeOf: (result: Result) => number
  ) {
    this.#entries = new LRUCache(readCacheLimits(({ result }, key) => sizeOf(result) + key.length))
  }

  find(key: string, authorizer: Authorizer): { readonly result: Result; readonly age: number } | undefined {
    const entry = this.#entries.get(key)
    if (!entry || entry.authorizer !== authorizer) return undefined
    const age = this.clock.elapsed() - entry.at
    return age < CACHE_LIFETIME_MS ? { result: entry.result, age: age / 1000 } : undefined
  }

  keep(key: string, result: Result, authorizer: Authorizer): void {
    this.#entries.set(key, { result, authorizer, at: this.clock.elapsed() })
  }
}
