// The tenancy of a resource as a query of the API.
import type { Query, QueryValue } from '../../typescript/connection.js'

/** Undefined stands for the default. */
export interface TenancyQuery extends Query {
  readonly ns: string | undefined
  readonly partition: string | undefined
}

const text = (value: QueryValue): string | undefined => (typeof value === 'string' ? value : undefined)

export const tenancyQueryOf = ({ ns, partition }: Query): TenancyQuery => ({
  ns: ns === '*' ? undefined : text(ns),
  partition: text(partition)
})
