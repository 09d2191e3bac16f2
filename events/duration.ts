// Durations in Go's notation, as bodies, query parameters and configuration have them: `1h30m10.5s`, `250ms`, `0`.

const MAX_NS = 2n ** 63n - 1n
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n
}

/** Nanoseconds in one unit, to write constants as `5 * SECOND`. */
export const MILLISECOND = 1e6
export const SECOND = 1e9
export const MINUTE = 60e9
export const HOUR = 3600e9

/**
 * Returns nanoseconds, or undefined if the text is no duration or exceeds 2^63-1 ns (292 years). Requires a unit
 * except for `0`. The result is an integer, exact up to 104 days (2^53 ns) and within half a microsecond above.
 * Runs in linear time. Spec: config.md §2, acl.md §4.
 */
export const parseDuration = (text: string): number | undefined => {
  const sign = /^[-+]/.test(text) ? text[0] : ''
  const body = sign === '' ? text : text.slice(1)
  if (body === '0') return 0
  if (body === '') return undefined
  const part = /(\d*)(\.\d*)?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y
  let total = 0n
  while (part.lastIndex < body.length) {
    const found = part.exec(body)
    const value =
      found === null ? undefined : nanoseconds(found[1] ?? '', (found[2] ?? '').slice(1), found[3] ?? '')
    if (value === undefined) return undefined
    total += value
    if (total > MAX_NS + (sign === '-' ? 1n : 0n)) return undefined
  }
  return sign === '-' ? 0 - Number(total) : Number(total)
}

/** Returns the error for an invalid duration. Clients compare its beginning, which is the same as in Go. */
export const invalidDuration = (text: string): string =>
  `invalid duration "${text}": it must be one such as 30s or 1h30m`

/** Truncates below a nanosecond. Rejects long numbers before BigInt, whose parsing is not linear. */
const nanoseconds = (whole: string, fraction: string, name: string): bigint | undefined => {
  const unit = UNITS[name]
  if (unit === undefined || (whole === '' && fraction === '')) return undefined
  const digits = whole.replace(/^0+/, '')
  if (digits.length > 19) return undefined
  const kept = fraction.slice(0, 18)
  return BigInt(digits || '0') * unit + (BigInt(kept || '0') * unit) / 10n ** BigInt(kept.length)
}

/**
 * Formats nanoseconds as Go does: `0s`, `100ns`, `1.5µs`, `250ms`, `5s`, `1m0s`, `1h30m0s`, `24h0m0s`, `-5m0s`.
 * Clamps to 2^63-1 ns. `parseDuration` returns the same number.
 */
export const formatDuration = (ns: number): string => {
  if (!Number.isFinite(ns) || Math.trunc(ns) === 0) return '0s'
  const exact = BigInt(Math.trunc(Math.abs(ns)))
  const size = exact > MAX_NS ? MAX_NS : exact
  const sign = ns < 0 ? '-' : ''
  if (size < 1_000n) return `${sign}${size}ns`
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}µs`
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`
  const minutes = size / 60_000_000_000n
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`
  if (minutes === 0n) return sign + seconds
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

/** Divides by 10^places and omits trailing zeros of the fraction. */
const decimal = (value: bigint, places: number): string => {
  const scale = 10n ** BigInt(places)
  const fraction = (value % scale).toString().padStart(places, '0').replace(/0+$/, '')
  return `${value / scale}${fraction === '' ? '' : `.${fraction}`}`
}

/** Returns milliseconds with a fraction, or undefined as `parseDuration` does. */
export const parseMilliseconds = (text: string): number | undefined => {
  const ns = parseDuration(text)
  return ns === undefined ? undefined : ns / MILLISECOND
}
