// Expiration of new tokens (spec: acl.md §3.3).
import { formatDuration, MILLISECOND } from '../events/duration.js'
import { formatTime, parseTime, ZERO_TIME } from '../events/time.js'
import type { ViewOptions } from '../projections/read-models.js'
import { invalid } from './refusal.js'

const checkBounds = (ns: number, { min, max }: ViewOptions['tokenLife']): void => {
  if (ns >= min && ns <= max) return
  const bound = ns < min ? `less than ${formatDuration(min)}` : `more than ${formatDuration(max)}`
  throw invalid(`ExpirationTime cannot be ${bound} in the future (was ${formatDuration(Math.round(ns))})`)
}

/**
 * Returns the expiration time of a token created at `at` (epoch milliseconds), as text; undefined when it
 * does not expire. `ttl` is in nanoseconds, 0 for none.
 * @throws Refusal `invalid`
 */
export const expirationOf = (
  time: string | undefined,
  ttl: number,
  at: number,
  bounds: ViewOptions['tokenLife']
): string | undefined => {
  const written = time === ZERO_TIME ? undefined : time
  if (ttl < 0) throw invalid(`Token Expiration TTL '${formatDuration(ttl)}' should be > 0`)
  if (ttl > 0) {
    if (written !== undefined) throw invalid('Token Expiration TTL and Expiration Time cannot both be set')
    checkBounds(ttl, bounds)
    return formatTime(at + ttl / MILLISECOND)
  }
  if (written === undefined) return undefined
  const end = parseTime(written)
  if (end === undefined) throw invalid(`ExpirationTime "${written}" is not an RFC 3339 time`)
  if (end < at) throw invalid('ExpirationTime cannot be before CreateTime')
  checkBounds((end - at) * MILLISECOND, bounds)
  return written
}

/** Checks that a written expiration time, if any, is that of the stored token. */
export const isSameExpiration = (written: string | undefined, stored: string | undefined): boolean =>
  written === undefined ||
  written === ZERO_TIME ||
  (stored !== undefined && parseTime(written) === parseTime(stored))
