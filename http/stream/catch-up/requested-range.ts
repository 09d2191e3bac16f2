// What a subscription wants, as far as it can be told before an event is parsed.
import type { Search, SearchTarget } from '../../../events/stored.js'
import { ALL_TENANCIES } from '../../../projections/stream/required-permissions.js'
import type { Subscription } from '../../../projections/stream/subscription.js'

/** More than so many texts are not looked for one by one. */
const MOST_TEXTS = 4

/** Undefined when everything may be wanted. */
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

/** What the head of an event of it holds, as it is printed. */
const textOf = ({ topic, key }: SearchTarget): string =>
  key === undefined ? `{"Topic":${JSON.stringify(topic)},` : JSON.stringify(key).slice(1, -1)

/** Texts of which a record holds at least one if something in it is wanted; undefined when there are none that say so. */
export const requestedTextsOf = (search: Search | undefined): readonly Buffer[] | undefined =>
  search && search.wanted.length <= MOST_TEXTS
    ? search.wanted.map(each => Buffer.from(textOf(each)))
    : undefined

/** What a record holds that an audit of one token wants; undefined where any may be wanted. */
export const accessorTextOf = ({ audit }: Subscription): Buffer | undefined =>
  audit?.accessor === undefined ? undefined : Buffer.from(`{"AccessorID":${JSON.stringify(audit.accessor)},`)
