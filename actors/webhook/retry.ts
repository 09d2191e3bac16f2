// How long to wait before a delivery is tried again.

/** Milliseconds. */
interface RetryBounds {
  readonly least: number
  readonly most: number
}

const SECONDS = /^\d{1,9}$/
/** `Date.parse` takes much else besides. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Milliseconds until the next attempt: twice as long after each failure, of which a random half is left out, so that what
 * failed together is not tried together again.
 * @param failures attempts that have failed, at least 1
 * @param random from 0 to 1
 */
export const retryDelay = (failures: number, { least, most }: RetryBounds, random: number): number => {
  const full = Math.min(least * 2 ** Math.min(failures - 1, 52), Math.max(most, least))
  return full * (1 - random / 2)
}

/**
 * Milliseconds that a `Retry-After` header asks for: whole seconds, or a date; undefined for anything else.
 * @param now epoch milliseconds
 */
export const retryAfterOf = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  if (SECONDS.test(text)) return Number(text) * 1000
  const date = HTTP_DATE.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0)
}
