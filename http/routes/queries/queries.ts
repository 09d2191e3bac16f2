// Prepared queries: create, list, read, update, delete (spec: queries.md §1 to §4; acl.md §11.2).
import { refusedWith, empty, json } from '../../wire/response.js'
import * as Type from 'typebox'
import { requireQuery } from '../../../actors/query.js'
import { Refusal } from '../../../actors/refusal.js'
import { isNamed, type PreparedQuery, QUERY_TOPIC, queryDefinition } from '../../../events/prepared-query.js'
import type { QueryRow } from '../../../projections/queries/query-row.js'
import { respondToRead, reading, consistencyHeaders } from '../../wire/reads/blocking.js'
import { readableRows } from '../../wire/reads/page.js'
import { historyOfResource, historyOfList, clusterResource } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, bodyRoute, requires, route, type Route, inputsOf } from '../../wire/route.js'
import { createdQuery, queryView } from '../../schemas/query.js'
import { bodySchema } from '../../schemas/definition-schemas.js'

export const queryFacts = { tag: 'Prepared queries', tenancy: 'none' } as const
const read = {
  ...queryFacts,
  method: 'GET',
  blocking: true,
  consistency: 'all',
  response: Type.Array(queryView)
} as const
const unlessUnnamed = 'on the name; none for a query that has neither a name nor a template'

const body = { name: 'Request', failure: 'Request decode failed' } as const

const inputOf = inputsOf(queryDefinition)
const queryBody = bodySchema(queryDefinition)

export const queryNotFound = (): Refusal => new Refusal('query.not-found', 'Query not found')

/** @throws Refusal `denied` without write permission on the name of a named query */
const requireWrite = (request: RequestContext, query: Pick<PreparedQuery, 'Name' | 'Template'>): void => {
  if (isNamed(query)) request.require('query', 'write', query.Name)
}

/** Returns the ID of a query that the caller may write. @throws Refusal `missing`, `denied` */
const writable = (request: RequestContext, id: string): string => {
  const { query } = requireQuery(request.views, id)
  requireWrite(request, query)
  return query.ID
}

/** Returns true if lists for this caller include the query. */
export const isListed = (request: RequestContext, query: PreparedQuery): boolean =>
  request.may('acl', 'write') || (isNamed(query) && request.may('query', 'read', query.Name))

/** An earlier version of a query shows its token only while the token exists. */
const showsToken = ({ past, currentViews: present }: RequestContext, { token }: QueryRow): boolean =>
  !past || token === '' || present.tokens.bySecret(token) !== undefined

const create = (method: 'POST' | 'PUT'): Route =>
  bodyRoute({
    ...queryFacts,
    method,
    path: '/v1/query',
    operationId: method === 'POST' ? 'createQuery' : 'createQueryByPut',
    summary: 'Create a prepared query',
    access: requires('query:write', unlessUnnamed),
    body: { ...body, schema: queryBody },
    response: createdQuery,
    handle: (request, given) => {
      if (given.ID) throw new Refusal('query.invalid', 'ID must be empty when creating a new prepared query')
      const query = inputOf(given)
      // An unknown token is rejected even if no permission is required.
      void request.authority
      requireWrite(request, query)
      const newId = request.newId()
      return request.write(
        request.ref(QUERY_TOPIC, newId),
        request.command('CreateQuery', { query, newId }),
        () => json({ ID: newId })
      )
    }
  })

export const queryRoutes: readonly Route[] = [
  create('POST'),
  create('PUT'),
  route({
    ...read,
    path: '/v1/query',
    operationId: 'listQueries',
    isPaged: true,
    summary: 'List the prepared queries that may be read',
    past: historyOfList([QUERY_TOPIC], 'cluster'),
    access: anyToken('query:read on each name; acl:write for all'),
    handle: request =>
      respondToRead(request, () => {
        const { queries } = request.views
        const inClear = request.may('acl', 'write')
        const { entries, headers } = readableRows(request, {
          parts: [{ name: '', behind: after => queries.behind(after) }],
          keyOf: row => row.query.ID,
          may: row => isListed(request, row.query)
        })
        const text = `[${entries.map(row => row.json(inClear && showsToken(request, row))).join(',')}]`
        return reading(text, queries.index, ['queries'], [...consistencyHeaders(request), ...headers])
      })
  }),
  route({
    ...read,
    path: '/v1/query/:id',
    operationId: 'readQuery',
    summary: 'Read a prepared query',
    past: historyOfResource(request => clusterResource(QUERY_TOPIC, request.param('id').toLowerCase())),
    access: requires('query:read', unlessUnnamed),
    handle: request =>
      respondToRead(request, () => {
        const { queries } = request.views
        const row = queries.get(request.param('id'))
        if (!row)
          return {
            index: queries.index,
            watch: ['queries'],
            answer: refusedWith('query.not-found', queryNotFound().message)
          }
        const inClear = request.may('acl', 'write')
        if (!inClear && isNamed(row.query)) request.require('query', 'read', row.query.Name)
        const shown = `[${row.json(inClear && showsToken(request, row))}]`
        return reading(shown, queries.index, ['queries'], consistencyHeaders(request))
      })
  }),
  bodyRoute({
    ...queryFacts,
    method: 'PUT',
    path: '/v1/query/:id',
    operationId: 'updateQuery',
    summary: 'Replace a prepared query',
    access: requires('query:write', 'on the old name and on the new'),
    body: { ...body, schema: queryBody, optional: true },
    handle: (request, given) => {
      const query = inputOf(given)
      void request.authority
      requireWrite(request, query)
      const id = writable(request, request.param('id'))
      const command = request.command('UpdateQuery', { query, id })
      return request.write(request.ref(QUERY_TOPIC, id.toLowerCase()), command, () => empty(200))
    }
  }),
  route({
    ...queryFacts,
    method: 'DELETE',
    path: '/v1/query/:id',
    operationId: 'deleteQuery',
    summary: 'Delete a prepared query',
    access: requires('query:write', unlessUnnamed),
    handle: request => {
      void request.authority
      const id = writable(request, request.param('id'))
      const command = request.command('DeleteQuery', { id })
      return request.write(request.ref(QUERY_TOPIC, id.toLowerCase()), command, () => empty(200))
    }
  })
]
