import { createEvent } from '../events/envelope.js'
import { type PreparedQuery, QUERY_TOPIC, type QueryEvent } from '../events/prepared-query.js'
import { HIDDEN } from '../events/values.js'

const queryEvent = (Type: QueryEvent['Type'], query: PreparedQuery, Token = ''): QueryEvent =>
  createEvent({
    Topic: QUERY_TOPIC,
    Type,
    Key: query.ID,
    FilterKeys: [query.Name, query.Service.Service, query.Session].filter(key => key !== ''),
    Payload: { PreparedQuery: query },
    ...(Token === '' ? {} : { Secrets: { Token } })
  })

/** The token is a secret of the event, not part of its payload. */
export const queryUpserted = (query: PreparedQuery): QueryEvent =>
  queryEvent('PreparedQueryUpserted', query.Token === '' ? query : { ...query, Token: HIDDEN }, query.Token)

export const queryDeleted = (query: PreparedQuery): QueryEvent => queryEvent('PreparedQueryDeleted', query)
