// Which events are listed, as the address of the page says it.
import type { LinesRequest } from '../../live/worker/protocol.js'
import type { Tenancy } from '../../session/tenancy.js'

/** What people choose, as they write it; an empty text is anything. */
export interface EventQuery {
  readonly topic: string
  /** A key, or a folder with `/` at its end. */
  readonly key: string
  readonly type: string
  /** An expression. */
  readonly filter: string
  /** Where the list begins: an index, a time, an age such as `1h`, or `beginning`. */
  readonly from: string
}

const FIELDS = ['topic', 'key', 'type', 'filter', 'from'] as const

export type EventQueryField = (typeof FIELDS)[number]

export const eventQueryIn = (query: Readonly<Record<string, string>>): EventQuery => {
  const { topic = '', key = '', type = '', filter = '', from = '' } = query
  return { topic, key, type, filter, from }
}

/** The page that lists them. */
export const pathOf = (wanted: EventQuery): string => {
  const said = FIELDS.filter(field => wanted[field] !== '').map(field => [field, wanted[field]])
  return said.length === 0 ? '/ui/' : `/ui/?${new URLSearchParams(said)}`
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** Thrown for a start that is none. */
export class InvalidStart extends Error {}

/** @param now in ms @throws NoStart */
const startOf = (from: string, now: number): LinesRequest['start'] => {
  if (from === '') return undefined
  if (from === 'beginning') return { index: from }
  if (/^\d{1,15}$/.test(from)) return { index: Number(from) }
  const [, count, unit = ''] = /^(\d{1,9})\s*([smhdw])(?: ago)?$/.exec(from) ?? []
  const time = count === undefined ? Date.parse(from) : now - Number(count) * (UNITS[unit] ?? 0) * 1000
  if (Number.isNaN(time))
    throw new InvalidStart(
      'Neither an index such as 42, a time such as 2026-01-31T12:00:00Z, an age such as 1h, nor beginning'
    )
  return { since: new Date(time).toISOString() }
}

/** What of the rest only some tokens may ask for. */
export interface EventQueryPermissions {
  /** Who made an event, and when. */
  readonly mayAskWho: boolean
  /** A topic as a whole; others get what they may see of it. */
  readonly mayReadTopic: boolean
}

export const ALL_PERMISSIONS: EventQueryPermissions = { mayAskWho: true, mayReadTopic: true }

/** The rights that a refusal leaves; undefined when it was not about one of them. */
export const permissionsAfter = (
  rights: EventQueryPermissions,
  refusal: string,
  wanted: EventQuery
): EventQueryPermissions | undefined => {
  if (rights.mayAskWho && /operator:read/.test(refusal)) return { ...rights, mayAskWho: false }
  if (rights.mayReadTopic && wanted.topic !== '') return { ...rights, mayReadTopic: false }
  return undefined
}

/** @throws NoStart */
export const requestOf = (
  { topic, key, type, filter, from }: EventQuery,
  { mayAskWho, mayReadTopic }: EventQueryPermissions,
  { ofStream }: Tenancy,
  now: number
): LinesRequest => {
  const ofTopic = topic !== '' && mayReadTopic ? topic : 'any'
  const conditions = [
    ...(topic !== '' && !mayReadTopic ? [`Topic == ${JSON.stringify(topic)}`] : []),
    ...(filter === '' ? [] : [filter])
  ]
  const start = startOf(from, now)
  return {
    topics: [key === '' ? ofTopic : `${ofTopic}:${key}`],
    types: type === '' ? [] : [type],
    ...ofStream,
    meta: mayAskWho,
    ...(conditions.length === 0 ? {} : { filter: conditions.map(each => `(${each})`).join(' and ') }),
    ...(start === undefined ? {} : { start })
  }
}

const FAULTS: readonly (readonly [RegExp, EventQueryField])[] = [
  [/^Invalid topic/, 'topic'],
  [/^Invalid type/, 'type'],
  [/boolean expression|^Failed to evaluate the filter|filter/i, 'filter'],
  [/^Invalid (?:index|since|after)/, 'from']
]

/** The field that a refusal is about. */
export const fieldAtFault = (refusal: string): EventQueryField | undefined =>
  FAULTS.find(([pattern]) => pattern.test(refusal))?.[1]
