// Endpoints for servers of other datacenters: the servers of this datacenter, and queries that fail over to it.
import type { Servers } from '../operator/cluster-servers.js'
import type { DatacenterList } from '../catalog/datacenter-list.js'
import { json, jsonText, type Body, type RouteResponse } from '../../wire/response.js'
import { canSeeInstance } from '../../../projections/queries/candidates.js'
import { MOST_CREDITED } from '../../wire/access-usage.js'
import { noToken, route, type Route, anyToken, bodyRoute, inputsOf } from '../../wire/route.js'
import { ORIGIN } from '../../../projections/catalog/vivaldi.js'
import { queryDefinition } from '../../../events/prepared-query.js'
import { executeLocally, type ExecutedLocally } from '../../../projections/queries/execute.js'
import { FoundQuery, QueryRow } from '../../../projections/queries/query-row.js'
import { BytePieces } from '../../../projections/byte-pieces.js'
import { remoteQueryBody, remoteInstance } from '../../schemas/query.js'
import * as Type from 'typebox'
import { coord } from '../../schemas/catalog-responses.js'

/** What a server tells of its own datacenter. */
export const ownFacts = Type.Object(
  {
    Datacenter: Type.String({ examples: ['dc1'] }),
    Node: Type.String({ description: 'Name of the server that answers', examples: ['server-1'] }),
    Coord: coord,
    Servers: Type.Array(
      Type.Object({
        ID: Type.String({ description: 'ID of its node' }),
        Node: Type.String(),
        Address: Type.String({ description: 'Where it listens' }),
        IsLive: Type.Boolean({ description: 'Whether the others hear of it' }),
        HTTPAddress: Type.Optional(
          Type.String({ description: 'URL of its API; absent from earlier versions' })
        ),
        Version: Type.Optional(Type.String({ description: 'Version of its program' })),
        Role: Type.Optional(Type.Union([Type.Literal('leader'), Type.Literal('follower')]))
      }),
      {
        examples: [
          [
            {
              ID: '5ec51e41-9583-2bf5-eed4-3bfcbffede4f',
              Node: 'server-1',
              Address: '10.0.0.1',
              IsLive: true,
              HTTPAddress: 'http://10.0.0.1:8500',
              Version: '0.1.0',
              Role: 'leader'
            }
          ]
        ]
      }
    )
  },
  { $id: 'OwnDatacenter' }
)

export const INTERNAL_DATACENTER = '/v1/internal/datacenter'

export const internalDatacenterRoutes = (servers: Servers, area: DatacenterList): readonly Route[] => [
  route({
    tag: 'Operator',
    tenancy: 'none',
    method: 'GET',
    path: INTERNAL_DATACENTER,
    operationId: 'readOwnDatacenter',
    summary:
      'For servers of other datacenters: the servers of this datacenter, and the coordinate of this one',
    // The content is that of `/v1/status/peers` and `/v1/coordinate/datacenters`.
    access: noToken,
    runs: 'here',
    response: ownFacts,
    handle: ({ settings }) =>
      json({
        Datacenter: settings.datacenter,
        Node: settings.node_name,
        Coord: area.place() ?? ORIGIN,
        Servers: servers.list().map(({ id, name, bind, isLive, address, version, isLeader }) => ({
          ID: id,
          Node: name,
          Address: bind,
          IsLive: isLive,
          HTTPAddress: address,
          Version: version,
          Role: isLeader ? 'leader' : 'follower'
        }))
      })
  })
]

export const INTERNAL_QUERY = '/v1/internal/query'

const inputOf = inputsOf(queryDefinition)

const BETWEEN = Buffer.from('},')
const END = Buffer.from('}')

/** @param instances as JSON without the closing brace */
const arrayOf = (instances: readonly { readonly json: Buffer }[]): Body => {
  if (instances.length === 0) return '[]'
  const pieces = instances.flatMap(({ json: bytes }, i) => (i === 0 ? [bytes] : [BETWEEN, bytes]))
  return new BytePieces([Buffer.from('['), ...pieces, END, Buffer.from(']')])
}

export const internalQueryRoutes: readonly Route[] = [
  bodyRoute({
    tag: 'Prepared queries',
    tenancy: 'none',
    method: 'POST',
    path: INTERNAL_QUERY,
    operationId: 'runRemoteQuery',
    summary: 'For servers of other datacenters: the results of this datacenter for a query that fails over',
    access: anyToken('service:read and node:read on the results'),
    idempotency: 'nothing written',
    body: { schema: remoteQueryBody, name: 'Query' },
    response: Type.Array(remoteInstance),
    handle: (request, { Query, Connect = false, Limit = 0 }) => {
      const { views, authority } = request
      // A template has been rendered by the sender.
      const query = { ...inputOf(Query), ID: '', CreateIndex: 0, ModifyIndex: 0 }
      const executed = executeLocally(new FoundQuery(new QueryRow(query, ''), query.Service), {
        candidates: views.candidates,
        authorizer: authority.authorizer,
        random: Math.random,
        near: undefined,
        limit: Limit,
        connect: Connect
      })
      const answerOf = ({ instances }: ExecutedLocally): RouteResponse => {
        // Which instances are visible is cached.
        instances.slice(0, MOST_CREDITED).every(canSeeInstance(request.usage.credited))
        return jsonText(arrayOf(instances))
      }
      const found = request.runInChunks(executed)
      return found instanceof Promise ? found.then(answerOf) : answerOf(found)
    }
  })
]
