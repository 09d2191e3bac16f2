// What servers of other datacenters ask a server of this one every few seconds.
import * as Type from 'typebox'
import { json } from '../../wire/answer.js'
import { noToken, route, type Route } from '../../wire/route.js'

export const INTERNAL_DATACENTER = '/v1/internal/datacenter'

export const internalDatacenterRoutes: readonly Route[] = [
  route({
    tag: 'Operator',
    tenancy: 'none',
    method: 'GET',
    path: INTERNAL_DATACENTER,
    operationId: 'readOwnDatacenter',
    summary: 'Which datacenter the server belongs to; for servers of other datacenters',
    access: noToken,
    blocking: false,
    consistency: 'none',
    caching: 'none',
    runs: 'here',
    response: Type.Object({ Datacenter: Type.String({ examples: ['dc1'] }) }),
    handle: ({ settings }) => json({ Datacenter: settings.datacenter })
  })
]
