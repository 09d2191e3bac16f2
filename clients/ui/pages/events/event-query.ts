import type { LinesRequest } from '../../live/worker/protocol.js'
import type { Tenancy } from '../../session/tenancy.js'
import { pointInTimeIn } from '../../time-travel/as-of-state.js'

/** The input of the form. Empty fields select everything. */
export const eventQueryIn = (query: Readonly<Record<string, string>>) => {
  const { topic = '', key = '', type = '', filter = '', from = '' } = query
  return {
    topic,
    /** A key, or a folder with `/` at its end. */
    key,
    type,
    /** An expression. */
    filter,
    /** The start: an index, a time, an age such as `1h`, or `beginning`. */
    from
  }
}

export type EventQuery = Readonly<ReturnType<typeof eventQueryIn>>

export const INVALID_START =
  'Enter an index such as 42, a time such as 2026-01-31T12:00:00Z, an age such as 1h, or beginning'

/** @param now in ms @returns undefined to follow the newest commits, and null for an invalid start */
export const startOf = (from: string, now: number): LinesRequest['start'] | null => {
  if (from === '') return undefined
  if (from === 'beginning') return { index: from }
  const at = pointInTimeIn(from, now)
  if (at === undefined) return null
  return typeof at === 'number' ? { index: at } : { since: at }
}

/** Options of a request that require permissions. */
export interface EventQueryPermissions {
  /** The origins and times of events. */
  readonly mayAskWho: boolean
  /** A whole topic. Without it, the list contains only permitted events. */
  readonly mayReadTopic: boolean
}

export const ALL_PERMISSIONS: EventQueryPermissions = { mayAskWho: true, mayReadTopic: true }

/** Removes the option that a refusal is about; undefined for other refusals. */
export const permissionsAfter = (
  rights: EventQueryPermissions,
  refusal: string,
  wanted: EventQuery
): EventQueryPermissions | undefined => {
  if (rights.mayAskWho && /operator:read/.test(refusal)) return { ...rights, mayAskWho: false }
  if (rights.mayReadTopic && wanted.topic !== '') return { ...rights, mayReadTopic: false }
  return undefined
}

export const requestOf = (
  { topic, key, type, filter }: EventQuery,
  start: LinesRequest['start'],
  { mayAskWho, mayReadTopic }: EventQueryPermissions,
  { ofStream }: Tenancy
): LinesRequest => {
  const ofTopic = topic !== '' && mayReadTopic ? topic : 'any'
  const conditions = [
    ...(topic !== '' && !mayReadTopic ? [`Topic == ${JSON.stringify(topic)}`] : []),
    ...(filter === '' ? [] : [filter])
  ]
  return {
    topics: [key === '' ? ofTopic : `${ofTopic}:${key}`],
    types: type === '' ? [] : [type],
    ...ofStream,
    meta: mayAskWho,
    ...(conditions.length === 0 ? {} : { filter: conditions.map(each => `(${each})`).join(' and ') }),
    ...(start === undefined ? {} : { start })
  }
}
