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

/** @param meta includes the origins and times of events, which require a permission */
export const requestOf = (
  { topic, key, type, filter }: EventQuery,
  start: LinesRequest['start'],
  meta: boolean,
  { ofStream }: Tenancy
): LinesRequest => ({
  topics: [`${topic || 'any'}${key && `:${key}`}`],
  types: type === '' ? [] : [type],
  ...ofStream,
  meta,
  ...(filter === '' ? {} : { filter }),
  ...(start === undefined ? {} : { start })
})
