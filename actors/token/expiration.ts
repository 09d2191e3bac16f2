// When a new token ends (spec: acl.md §3.3).
import { formatDuration } from '../../events/duration.js'
import { formatTime, parseTime, ZERO_TIME } from '../../events/time.js'
import { invalid } from '../refusal.js'

const NS_PER_MS = 1e6

/** Bounds on the life of a new token, nanoseconds, both included. */
export interface LifeBounds {
  readonly min: number
  readonly max: number
}

const checkBounds = (ns: number, { min, max }: LifeBounds): void => {
  const was = `(was ${formatDuration(Math.round(ns))})`
  if (ns < min)
    throw invalid(`ExpirationTime cannot be less than ${formatDuration(min)} in the future ${was}`)
  if (ns > max)
    throw invalid(`ExpirationTime cannot be more than ${formatDuration(max)} in the future ${was}`)
}

/**
 * The expiration time of a token made at `at` (epoch milliseconds), as text; undefined when it does not expire.
 * `ttl` is in nanoseconds, 0 for none.
 * @throws Refusal `invalid`
 */
export const expirationOf = (
  time: string | undefined,
  ttl: number,
  at: number,
  bounds: LifeBounds
): string | undefined => {
  const given = time === ZERO_TIME ? undefined : time
  if (ttl < 0) throw invalid(`Token Expiration TTL '${formatDuration(ttl)}' should be > 0`)
  if (ttl > 0) {
    if (given !== undefined) throw invalid('Token Expiration TTL and Expiration Time cannot both be set')
    checkBounds(ttl, bounds)
    return formatTime(at + ttl / NS_PER_MS)
  }
  if (given === undefined) return undefined
  const end = parseTime(given)
  if (end === undefined) throw invalid(`ExpirationTime "${given}" is not an RFC 3339 time`)
  if (end < at) throw invalid('ExpirationTime cannot be before CreateTime')
  checkBounds((end - at) * NS_PER_MS, bounds)
  return given
}
