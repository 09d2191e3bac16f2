// Parsing of the range of a stream: `index`, `after`, `since`, `until`, `limit` and the resume headers.
import { isDeepStrictEqual } from 'node:util'
import { invalid } from '../../actors/refusal.js'
import { parseTime } from '../../events/time.js'
import { firstValueOf, flag, integer, isInteger, quoteValue, type NamedValues } from './parameter-values.js'

export type StreamStart =
  /** The newest commits, as many as `stream.event_backlog` sets. */
  | { readonly kind: 'backlog' }
  | { readonly kind: 'beginning' }
  | { readonly kind: 'now' }
  /** This index, inclusive. */
  | { readonly kind: 'index'; readonly index: number }
  /** The first commit at or after this time, in epoch ms. */
  | { readonly kind: 'time'; readonly time: number }

export type StreamStop =
  | { readonly kind: 'now' }
  | { readonly kind: 'index'; readonly index: number }
  /** The last commit at or before this time, in epoch ms. */
  | { readonly kind: 'time'; readonly time: number }

export interface StreamRange {
  readonly start: StreamStart
  readonly until: StreamStop | undefined
  readonly limit: number | undefined
}

export type LastSeenIndex = string | undefined

const BACKLOG: StreamStart = { kind: 'backlog' }

const time = (text: string, name: string, otherwise = ''): number => {
  const found = parseTime(text)
  if (found === undefined)
    throw invalid(
      'stream.invalid',
      `Invalid ${name}: ${quoteValue(text)} is no time such as 2026-01-31T12:00:00Z${otherwise}`
    )
  return found
}

const atIndex = (text: string): StreamStart => {
  if (text === 'now' || text === 'beginning') return { kind: text }
  const index = integer(text, 'index')
  return index === 0 ? BACKLOG : { kind: 'index', index }
}

const STARTS: Readonly<Record<string, (text: string) => StreamStart>> = {
  index: atIndex,
  after: text => ({ kind: 'index', index: integer(text, 'after') + 1 }),
  since: text => ({ kind: 'time', time: time(text, 'since') })
}

/** Returns the start and its parameter. Several parameters must agree; `index=0` sets none. */
const requestedStart = (
  values: NamedValues
): { readonly start: StreamStart; readonly by: string } | undefined => {
  const starts = Object.entries(STARTS).flatMap(([by, read]) => {
    const text = firstValueOf(values, by)
    const start = text === undefined ? BACKLOG : read(text)
    return start === BACKLOG ? [] : [{ by, start }]
  })
  const [first] = starts
  const other = starts.find(({ start }) => first && !isDeepStrictEqual(start, first.start))
  if (first && other) throw conflict(first.by, other.by, 'they name different starts')
  return first
}

const conflict = (one: string, other: string, reason: string): Error =>
  invalid('stream.invalid', `Invalid ${other}: ${one} and ${other} cannot both be given: ${reason}`)

const impliedStart = (values: NamedValues): { readonly by: string; readonly reason: string } | undefined => {
  if (firstValueOf(values, 'cursor') !== undefined)
    return { by: 'cursor', reason: 'a cursor says where its stream starts' }
  if (flag(values, 'snapshot'))
    return { by: 'snapshot', reason: 'a snapshot is followed by the commits after it' }
  return undefined
}

/**
 * Returns the start. A resume header takes precedence, since a client that reconnects repeats its original query.
 * @throws Refusal `invalid`
 */
const startOf = (values: NamedValues, seen: LastSeenIndex): StreamStart => {
  const requested = requestedStart(values)
  const implied = impliedStart(values)
  if (requested && implied) throw conflict(requested.by, implied.by, implied.reason)
  if (!seen) return requested?.start ?? BACKLOG
  return { kind: 'index', index: integer(seen, 'resume index') + 1 }
}

const stopOf = (text: string | undefined): StreamStop | undefined => {
  if (text === undefined) return undefined
  if (text === 'now') return { kind: 'now' }
  if (isInteger(text)) return { kind: 'index', index: integer(text, 'until') }
  return { kind: 'time', time: time(text, 'until', ', no index and not "now"') }
}

const limitOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const limit = integer(text, 'limit')
  if (limit === 0)
    throw invalid('stream.invalid', 'Invalid limit: "0" messages are none: it must be at least 1')
  return limit
}

/**
 * Parses the range of an audit; default: from the oldest retained commit to the newest.
 * @throws Refusal `invalid` that names the parameter and the rule
 */
export const auditRangeOf = (values: NamedValues): StreamRange => {
  const since = firstValueOf(values, 'since')
  const start: StreamStart =
    since === undefined
      ? { kind: 'beginning' }
      : isInteger(since)
        ? { kind: 'index', index: integer(since, 'since') }
        : { kind: 'time', time: time(since, 'since', ', and no index') }
  return {
    start,
    until: stopOf(firstValueOf(values, 'until') ?? 'now'),
    limit: limitOf(firstValueOf(values, 'limit'))
  }
}

/** @throws Refusal `invalid` that names the parameter and the rule */
export const rangeOf = (values: NamedValues, seen: LastSeenIndex): StreamRange => ({
  start: startOf(values, seen),
  until: stopOf(firstValueOf(values, 'until')),
  limit: limitOf(firstValueOf(values, 'limit'))
})
