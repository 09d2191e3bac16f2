// Delays between attempts of a delivery.

/** Milliseconds. */
interface RetryBounds {
  readonly least: number
  readonly most: number
}

const SECONDS = /^\d{1,9}$/
/** `Date.parse` accepts many other formats. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Returns the delay before the next attempt, ms: doubled after each failure, minus a random part of up to a
 * half, so that simultaneous failures are not retried together.
 * @param failures failed attempts, at least 1
 * @param random from 0 to 1
 */
export const retryDelay = (failures: number, { least, most }: RetryBounds, random: number): number => {
  const full = Math.min(least * 2 ** Math.min(failures - 1, 52), Math.max(most, least))
  return full * (1 - random / 2)
}

/**
 * Parses a `Retry-After` header of seconds or a date to milliseconds; undefined for anything else.
 * @param now epoch milliseconds
 */
export const retryAfterOf = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  if (SECONDS.test(text)) return Number(text) * 1000
  const date = HTTP_DATE.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0)
}
