// RFC 3339 times as Go prints and parses them.

const PATTERN = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([-+])(\d\d):(\d\d))$/

/** The year-one time that means "none" in bodies. */
export const ZERO_TIME = '0001-01-01T00:00:00Z'

/**
 * Formats a time as RFC 3339 in UTC without trailing zeros: `2026-11-21T08:05:50.8137Z`, `2026-11-21T08:05:50Z`.
 * @param epochMs milliseconds since 1970 in the years 0 to 9999, rounded to a microsecond
 */
export const formatTime = (epochMs: number): string => {
  if (epochMs === lastMs) return lastTime
  const whole = Math.floor(epochMs / 1000)
  const micros = Math.round((epochMs - whole * 1000) * 1000)
  const carries = micros === 1_000_000
  const second = carries ? whole + 1 : whole
  const fraction = carries ? 0 : micros
  lastMs = epochMs
  return (lastTime = `${wholeSecond(second)}${fractionText(fraction)}Z`)
}

const fractionText = (micros: number): string => {
  if (micros === 0) return ''
  let digits = micros
  let places = 6
  for (; digits % 10 === 0; digits /= 10) places--
  return `.${String(digits).padStart(places, '0')}`
}

/** Cache of the last result: a command's time occurs in its commit and its events. */
let lastMs = Number.NaN
let lastTime = ''

/** Caches the text of the last second. */
const wholeSecond = (second: number): string => {
  if (second !== lastSecond) {
    lastText = new Date(second * 1000).toISOString().slice(0, 19)
    lastSecond = second
  }
  return lastText
}
let lastSecond = Number.NaN
let lastText = ''

/**
 * Returns milliseconds since 1970 with a fraction, or undefined if the text is invalid. Requires upper-case `T`, `Z` or
 * a numeric zone, and an existing day. Rejects leap seconds and ignores digits beyond the nanosecond.
 */
export const parseTime = (text: string): number | undefined => {
  if (text.length > 64) return undefined
  const found = PATTERN.exec(text)
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number)
  const [zoneHour, zoneMinute] = [Number(found[9] ?? 0), Number(found[10] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  date.setUTCHours(hour, minute, second)
  const zone = (found[8] === '-' ? -1 : 1) * (zoneHour * 60 + zoneMinute) * 60_000
  return date.getTime() - zone + Number(`0.${(found[7] ?? '0').slice(0, 9)}`) * 1000
}

/** Returns a time within half a microsecond, the resolution of times in the log. */
export const justAfter = (epochMs: number): number => epochMs + 0.0005
