import { CLUSTER_TENANCY } from '../events/envelope.js'
import { type PreparedQuery, type QueryEvent, queryEvents } from '../events/prepared-query.js'
import { HIDDEN } from '../events/values.js'

/** The token is a secret of the event, not part of its payload. */
export const queryUpserted = (query: PreparedQuery): QueryEvent => {
  const { Token } = query
  if (Token === '') return queryEvents.create('PreparedQueryUpserted', CLUSTER_TENANCY, query)
  return queryEvents.create('PreparedQueryUpserted', CLUSTER_TENANCY, { ...query, Token: HIDDEN }, { Token })
}

export const queryDeleted = (query: PreparedQuery): QueryEvent =>
  queryEvents.create('PreparedQueryDeleted', CLUSTER_TENANCY, query)
