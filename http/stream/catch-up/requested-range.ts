// Prefilters of a subscription, which apply before events are parsed.
import type { Search, SearchTarget } from '../../../events/stored.js'
import { ALL_TENANCIES } from '../../../projections/stream/required-permissions.js'
import type { Subscription } from '../../../projections/stream/subscription.js'

/** Maximum number of texts to search for. */
const MOST_TEXTS = 4

/** Returns a superset of the selection; undefined for everything. */
export const requestedSearchOf = ({ filter, tenancy }: Subscription): Search | undefined => {
  const { wanted } = filter
  if (wanted.some(({ topic, key }) => topic === undefined && key === undefined)) return undefined
  const { partition, namespace } = tenancy
  return {
    wanted,
    partition: partition === ALL_TENANCIES ? undefined : partition,
    namespace: namespace === ALL_TENANCIES ? undefined : namespace
  }
}

/** Returns the beginning of a matching event's JSON. */
const textOf = ({ topic, key }: SearchTarget): string =>
  key === undefined ? `{"Topic":${JSON.stringify(topic)},` : JSON.stringify(key).slice(1, -1)

/** Returns texts of which each record with a selected event contains at least one; undefined if there are none. */
export const requestedTextsOf = (search: Search | undefined): readonly Buffer[] | undefined =>
  search && search.wanted.length <= MOST_TEXTS
    ? search.wanted.map(target => Buffer.from(textOf(target)))
    : undefined

/** Returns a text that each record of the audited token contains; undefined for audits of all tokens. */
export const accessorTextOf = ({ audit }: Subscription): Buffer | undefined =>
  audit?.accessor === undefined ? undefined : Buffer.from(`{"AccessorID":${JSON.stringify(audit.accessor)},`)
