// The moment as of which the pages show things. The address names it, so that a link shows what was seen.
import { signal } from '@preact/signals'
import type { Query } from '../../typescript/connection.js'

const AT = 'at'

/** The answer of `GET /v1/event/moment`. */
export interface PointInTime {
  readonly Index: number
  /** RFC 3339. */
  readonly Time: string
  /** Of which there are answers. */
  readonly Oldest: number
  readonly Newest: number
}

/** Index of the commit as of which the pages show what was; undefined for what is now. */
export const asOfIndex = signal<number | undefined>(undefined)

/** The index that an address means; undefined for none, and for a time. */
export const indexIn = (at: string | undefined): number | undefined =>
  at !== undefined && /^\d{1,15}$/.test(at) ? Number(at) : undefined

/** An address of the pages at another moment. @param at an index or a time; undefined for now */
export const addressAsOf = (address: string, at: number | string | undefined): string => {
  const url = new URL(address, location.origin)
  if (at === undefined) url.searchParams.delete(AT)
  else url.searchParams.set(AT, String(at))
  return url.pathname + url.search + url.hash
}

/** An address of the pages at the moment that is looked at, unless it names one itself. */
export const withAsOf = (address: string): string => {
  const at = asOfIndex.value
  return at === undefined || new URL(address, location.origin).searchParams.has(AT)
    ? address
    : addressAsOf(address, at)
}

/** What the API tells of earlier indexes, too. Who looks is always asked of now. */
const HAS_PAST =
  /^\/v1\/(?!acl\/(?:token\/self$|replication)|catalog\/datacenters|coordinate\/datacenters)(?:acl|kv|namespaces?|partitions?|session|query|config|connect|discovery-chain|catalog|health|coordinate)\b/

/** A question to the API about the moment that is looked at, where the API knows the past of what is asked. */
export const queryAsOf = (path: string | undefined, query: Query): Query => {
  const at = asOfIndex.value
  return at === undefined || path === undefined || !HAS_PAST.test(path) ? query : { at, ...query }
}
