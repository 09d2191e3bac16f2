// Where a thing is.
import type { Query, QueryValue } from '../../typescript/connection.js'

/** Undefined for the default. It is a query of the API too. */
export interface TenancyQuery extends Query {
  readonly ns: string | undefined
  readonly partition: string | undefined
}

const text = (value: QueryValue): string | undefined => (typeof value === 'string' ? value : undefined)

/** @param named names a thing, or what people have chosen */
export const tenancyQueryOf = ({ ns, partition }: Query): TenancyQuery => ({
  ns: ns === '*' ? undefined : text(ns),
  partition: text(partition)
})
