// What this datacenter finds for a query of another one, whose own has nothing (spec: queries.md §6.4).
import * as Type from 'typebox'
import { queryDefinition } from '../../../events/prepared-query.js'
import { executeLocally } from '../../../projections/queries/execute.js'
import { QueryRow } from '../../../projections/queries/query-row.js'
import { BytePieces } from '../../../projections/byte-pieces.js'
import { remoteQueryBody, remoteInstance } from '../../schemas/query.js'
import { jsonText, type Body } from '../../wire/response.js'
import { inputsOf } from '../../wire/bodies/input.js'
import { anyToken, bodyRoute, type Route } from '../../wire/route.js'

export const INTERNAL_QUERY = '/v1/internal/query'

const inputOf = inputsOf(queryDefinition)

const BETWEEN = Buffer.from('},')
const END = Buffer.from('}')

/** @param instances as JSON, each without its closing brace */
const arrayOf = (instances: readonly { readonly json: Buffer }[]): Body => {
  if (instances.length === 0) return '[]'
  const pieces = instances.flatMap(({ json }, i) => (i === 0 ? [json] : [BETWEEN, json]))
  return new BytePieces([Buffer.from('['), ...pieces, END, Buffer.from(']')])
}

export const internalQueryRoutes: readonly Route[] = [
  bodyRoute({
    tag: 'Prepared queries',
    tenancy: 'none',
    method: 'POST',
    path: INTERNAL_QUERY,
    operationId: 'runRemoteQuery',
    summary:
      'What this datacenter has for a query of another one that fails over; for servers of other datacenters',
    access: anyToken('service:read and node:read on what is found'),
    idempotency: 'nothing written',
    body: { schema: remoteQueryBody, name: 'Query' },
    response: Type.Array(remoteInstance),
    handle: (request, { Query, Connect = false, Limit = 0 }) => {
      const { views, authority } = request
      const query = { ...inputOf(Query), ID: '', CreateIndex: 0, ModifyIndex: 0 }
      const instances = executeLocally(new QueryRow(query, '').foundBy(''), {
        candidates: views.candidates,
        authorizer: authority.authorizer,
        random: Math.random,
        near: undefined,
        limit: Limit,
        connect: Connect
      })
      return jsonText(arrayOf(instances))
    }
  })
]
