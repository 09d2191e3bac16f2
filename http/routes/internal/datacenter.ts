// What servers of other datacenters ask a server of this one every few seconds.
import type { Servers } from '../operator/cluster-servers.js'
import type { DatacenterList } from '../catalog/datacenter-list.js'
import { ownFacts } from '../../schemas/read-metadata.js'
import { json } from '../../wire/response.js'
import { noToken, route, type Route } from '../../wire/route.js'
import { ORIGIN } from '../../../projections/catalog/vivaldi.js'

export const INTERNAL_DATACENTER = '/v1/internal/datacenter'

export const internalDatacenterRoutes = (servers: Servers, area: DatacenterList): readonly Route[] => [
  route({
    tag: 'Operator',
    tenancy: 'none',
    method: 'GET',
    path: INTERNAL_DATACENTER,
    operationId: 'readOwnDatacenter',
    summary:
      'Which servers this datacenter has, and where the one that answers is; for servers of other datacenters',
    // It tells what `/v1/status/peers` and `/v1/coordinate/datacenters` tell.
    access: noToken,
    runs: 'here',
    response: ownFacts,
    handle: ({ settings }) =>
      json({
        Datacenter: settings.datacenter,
        Node: settings.node_name,
        Coord: area.place() ?? ORIGIN,
        Servers: servers.list().map(({ id, name, bind, isLive }) => ({
          ID: id,
          Node: name,
          Address: bind,
          IsLive: isLive
        }))
      })
  })
]
