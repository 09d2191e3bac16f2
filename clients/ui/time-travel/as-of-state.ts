// The point in time that the pages show. The address names it, so that links reproduce the view.
import type { Schemas } from '../../typescript/typed/index.js'
import { signal } from '@preact/signals'
import type { Query } from '../../typescript/connection.js'

const AT = 'at'

/** Returns the commit of a time or index; the newest one without either. */
export const MOMENT = '/v1/event/moment'

export type PointInTime = Schemas['Moment']

/** Index of the displayed commit; undefined for the current state. */
export const asOfIndex = signal<number | undefined>(undefined)

/** Parses an index; undefined for a time. */
export const indexIn = (at: string | undefined): number | undefined =>
  at !== undefined && /^\d{1,15}$/.test(at) ? Number(at) : undefined

/** Sets a parameter of an address; undefined removes it. */
export const addressWith = (address: string, name: string, value: string | undefined): string => {
  const url = new URL(address, location.origin)
  if (value === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  return url.pathname + url.search + url.hash
}

/** Sets the point in time of an address. @param at an index or a time; undefined for now */
export const addressAsOf = (address: string, at: number | string | undefined): string =>
  addressWith(address, AT, at?.toString())

/** Adds the displayed point in time to an address that names none. */
export const withAsOf = (address: string): string => {
  const at = asOfIndex.value
  return at === undefined || new URL(address, location.origin).searchParams.has(AT)
    ? address
    : addressAsOf(address, at)
}

/** Reads that accept `at`. The own token is always read as of now. */
const HAS_PAST =
  /^\/v1\/(?!acl\/(?:token\/self$|replication)|catalog\/datacenters|coordinate\/datacenters)(?:acl|kv|namespaces?|partitions?|session|query|config|connect|discovery-chain|catalog|health|coordinate)\b/

/** Adds the displayed point in time to a query whose path supports it. */
export const queryAsOf = (path: string | undefined, query: Query): Query => {
  const at = asOfIndex.value
  return at === undefined || path === undefined || !HAS_PAST.test(path) ? query : { at, ...query }
}

// Points in time as people write them: a commit number, an age, a time of today or yesterday, or a date.
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
const AGE = /^(\d{1,9})\s*([smhdw])[a-z]*(?:\s+ago)?$/
const DAY = /^(?:(today|yesterday)\b)?\s*(?:(?:at\s+)?(\d{1,2}):(\d{2}))?$/

/** Returns an index, or RFC 3339; undefined if the text is neither. @param now in ms */
export const pointInTimeIn = (text: string, now: number): number | string | undefined => {
  const written = text.trim().toLowerCase()
  if (/^\d{1,15}$/.test(written)) return Number(written)
  const [, count, unit = ''] = AGE.exec(written) ?? []
  if (count !== undefined) return new Date(now - Number(count) * (UNITS[unit] ?? 0) * 1000).toISOString()
  const [found, day, hours = '0', minutes = '0'] = DAY.exec(written) ?? []
  if (found) {
    const date = new Date(now)
    if (day === 'yesterday') date.setDate(date.getDate() - 1)
    date.setHours(Number(hours), Number(minutes), 0, 0)
    return date.toISOString()
  }
  const time = Date.parse(text.trim())
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
