// Makes the events of prepared queries.
import {
  HIDDEN_TOKEN,
  QUERY_TOPIC,
  type PreparedQuery,
  type QueryDeleted,
  type QueryUpserted
} from '../../events/prepared-query.js'
import { makeEvent } from '../make-event.js'

const filterKeys = ({ Name, Service, Session }: PreparedQuery): readonly string[] =>
  [Name, Service.Service, Session].filter(key => key !== '')

/** The token travels apart from the payload. */
export const queryUpserted = (query: PreparedQuery): QueryUpserted =>
  makeEvent({
    Topic: QUERY_TOPIC,
    Type: 'PreparedQueryUpserted',
    Key: query.ID,
    FilterKeys: filterKeys(query),
    Payload: { PreparedQuery: query.Token === '' ? query : { ...query, Token: HIDDEN_TOKEN } },
    ...(query.Token === '' ? {} : { Secrets: { Token: query.Token } })
  })

/** `query` is the query as events carry it. */
export const queryDeleted = (query: PreparedQuery): QueryDeleted =>
  makeEvent({
    Topic: QUERY_TOPIC,
    Type: 'PreparedQueryDeleted',
    Key: query.ID,
    FilterKeys: filterKeys(query),
    Payload: { PreparedQuery: query }
  })
