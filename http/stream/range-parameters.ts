// Where a stream starts and ends: `index`, `after`, `since`, `until`, `limit` and the headers that resume one.
import { invalid } from '../../actors/refusal.js'
import { parseTime } from '../../events/time.js'
import { firstValueOf, flag, integer, isInteger, quoteValue, type NamedValues } from './parameter-values.js'

/** Where a stream starts, as it was asked for. */
export type StreamStart =
  /** With the newest commits, as many as `stream.event_backlog` says. */
  | { readonly kind: 'backlog' }
  /** With the first commit that is kept. */
  | { readonly kind: 'beginning' }
  /** With the first commit that comes. */
  | { readonly kind: 'now' }
  /** With this index, itself included. */
  | { readonly kind: 'index'; readonly index: number }
  /** With the first commit at or after this moment, in epoch ms. */
  | { readonly kind: 'time'; readonly time: number }

/** What is sent last, as it was asked for. */
export type StreamStop =
  | { readonly kind: 'now' }
  | { readonly kind: 'index'; readonly index: number }
  /** The last commit at or before this moment, in epoch ms. */
  | { readonly kind: 'time'; readonly time: number }

export interface StreamRange {
  readonly start: StreamStart
  readonly until: StreamStop | undefined
  /** Most messages that are sent. */
  readonly limit: number | undefined
}

/** The last index that the reader of an earlier stream saw, as a header names it. */
export type LastSeenIndex = string | undefined

const BACKLOG: StreamStart = { kind: 'backlog' }

const time = (text: string, name: string, otherwise = ''): number => {
  const found = parseTime(text)
  if (found === undefined)
    throw invalid(`Invalid ${name}: ${quoteValue(text)} is no time such as 2026-01-31T12:00:00Z${otherwise}`)
  return found
}

const atIndex = (text: string): StreamStart => {
  if (text === 'now' || text === 'beginning') return { kind: text }
  const index = integer(text, 'index')
  return index === 0 ? BACKLOG : { kind: 'index', index }
}

/** Ways to say where a stream starts, each a parameter of its own. */
const STARTS: Readonly<Record<string, (text: string) => StreamStart>> = {
  index: atIndex,
  after: text => ({ kind: 'index', index: integer(text, 'after') + 1 }),
  since: text => ({ kind: 'time', time: time(text, 'since') })
}

const isSame = (one: StreamStart, other: StreamStart): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** A start that is said in several ways must be the same in all; `index=0` says none. */
const saidStart = (values: NamedValues): { readonly start: StreamStart; readonly by: string } | undefined => {
  const said = Object.entries(STARTS).flatMap(([by, read]) => {
    const text = firstValueOf(values, by)
    const start = text === undefined ? BACKLOG : read(text)
    return start === BACKLOG ? [] : [{ by, start }]
  })
  const [first] = said
  const other = said.find(({ start }) => first && !isSame(start, first.start))
  if (first && other) throw atOnce(first.by, other.by, 'they name different starts')
  return first
}

const atOnce = (one: string, other: string, reason: string): Error =>
  invalid(`Invalid ${other}: ${one} and ${other} cannot both be given: ${reason}`)

/** What says itself where its stream starts, if it is asked for. */
const ownStart = (values: NamedValues): { readonly by: string; readonly reason: string } | undefined => {
  if (firstValueOf(values, 'cursor') !== undefined)
    return { by: 'cursor', reason: 'a cursor says where its stream starts' }
  if (flag(values, 'snapshot'))
    return { by: 'snapshot', reason: 'a snapshot goes on with what comes after it' }
  return undefined
}

/**
 * Where the stream starts. What a header has seen wins over what the query says, since who reads on sends the query of before.
 * @throws Refusal `invalid`
 */
const startOf = (values: NamedValues, seen: LastSeenIndex): StreamStart => {
  const said = saidStart(values)
  const own = ownStart(values)
  if (said && own) throw atOnce(said.by, own.by, own.reason)
  if (!seen) return said?.start ?? BACKLOG
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
  if (limit === 0) throw invalid('Invalid limit: "0" messages are none: it must be at least 1')
  return limit
}

/**
 * The range of what happened, from the oldest commit that is kept to now unless `since` and `until` say otherwise.
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
