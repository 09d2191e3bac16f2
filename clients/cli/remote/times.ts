// Times as people write and read them.
import { InvalidArgumentError } from 'commander'
import { MILLISECOND, parseDuration } from '../../../events/duration.js'
import { parseTime, ZERO_TIME } from '../../../events/time.js'

export const MOMENT =
  'an index, a time such as "2026-11-23 14:00" or yesterday, or a time ago such as 1h or 2d'

const DAY_MS = 86_400_000
const UNITS_MS: Readonly<Record<string, number>> = { w: 7 * DAY_MS, d: DAY_MS }

/** Returns milliseconds of a duration that may begin with weeks and days, as in `2d12h`. */
const durationOf = (text: string): number | undefined => {
  const [, weeks = '', days = '', others = ''] = /^(\d{1,5}w)?(\d{1,5}d)?([^-+]*)$/.exec(text) ?? []
  const whole = [weeks, days].filter(part => part !== '')
  const ns = others === '' && whole.length > 0 ? 0 : parseDuration(others)
  if (ns === undefined) return undefined
  const ms = whole.map(part => Number(part.slice(0, -1)) * (UNITS_MS[part.slice(-1)] ?? 0))
  return ms.reduce((sum, one) => sum + one, ns / MILLISECOND)
}

const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/

/** Returns a local time; midnight of a day without one. */
const localTime = (text: string): Date | undefined => {
  const [, day, clock = '00:00'] = LOCAL.exec(text) ?? []
  if (day === undefined) return undefined
  const time = new Date(`${day}T${clock}`)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** Returns the midnight that began the day, or the day before it. */
const midnight = (now: Date, daysAgo: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)

const WORDS: Readonly<Record<string, (now: Date) => Date>> = {
  now: now => now,
  today: now => midnight(now, 0),
  yesterday: now => midnight(now, 1)
}

/**
 * Returns an index or RFC 3339 time unchanged, and other times in RFC 3339. Times without a zone are local.
 * @throws InvalidArgumentError
 */
export const parseMoment = (input: string, now = new Date()): string => {
  const text = input.trim()
  if (/^\d{1,15}$/.test(text) || parseTime(text) !== undefined) return text
  const ago = durationOf(text)
  const time =
    WORDS[text.toLowerCase()]?.(now) ?? (ago === undefined ? localTime(text) : new Date(now.getTime() - ago))
  if (time === undefined || !(time.getTime() > 0)) throw new InvalidArgumentError(`It is ${MOMENT}.`)
  return time.toISOString()
}

/** Returns epoch milliseconds of a moment that is a time; undefined for an index. */
export const timeOfMoment = (moment: string): number | undefined => parseTime(moment)

const STEPS: readonly (readonly [unit: string, ms: number])[] = [
  ['y', 365 * DAY_MS],
  ['d', DAY_MS],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000]
]

/** Returns texts such as `3m ago`, `in 8h` and `now`. */
export const relativeTime = (epochMs: number, now: number): string => {
  const distance = Math.abs(now - epochMs)
  const step = STEPS.find(([, ms]) => distance >= ms)
  if (!step) return 'now'
  const text = `${Math.floor(distance / step[1])}${step[0]}`
  return epochMs > now ? `in ${text}` : `${text} ago`
}

/** Returns an RFC 3339 time relative to now, and other texts unchanged. */
export const withRelativeTime = (text: string, now: number): string => {
  const time = text === ZERO_TIME ? undefined : parseTime(text)
  return time === undefined ? text : relativeTime(time, now)
}
