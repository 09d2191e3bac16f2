// Network coordinates (spec: state.md §9).
import { requireOwnDatacenter } from '../../wire/datacenter-routing.js'
import { refusedWith, empty, json } from '../../wire/response.js'
import * as Type from 'typebox'
import type { CoordinateBatches } from '../../../actors/processes/coordinate-batches.js'
import { invalid } from '../../../actors/refusal.js'
import { inCluster } from '../../../actors/ref.js'
import { type Coordinate, COORDINATE_TOPIC } from '../../../events/node.js'
import { coordinatesKey } from '../../../projections/catalog/coordinates.js'
import { DIMENSIONS, ORIGIN } from '../../../projections/catalog/vivaldi.js'
import type { DatacenterList } from './datacenter-list.js'
import { respondToRead, reading, type ListState } from '../../wire/reads/blocking.js'
import { catalogHistory } from './catalog-history.js'
import { nodeTenancy } from '../../../projections/tenancy-view.js'
import { CatalogScope, requireOnNode } from './registration-permissions.js'
import { readableSteps } from '../../wire/reads/page.js'
import { readableList } from '../../wire/reads/json-list.js'
import { anyToken, bodyRoute, requires, noToken, route, type Route } from '../../wire/route.js'
import { coordinate, coordinateBody, datacenterCoordinates } from '../../schemas/catalog-responses.js'

const facts = { tag: 'Coordinates', tenancy: 'partition' } as const
const read = { ...facts, method: 'GET', blocking: true, consistency: 'all' } as const

const COORDINATE = { schema: coordinateBody, name: 'Coordinate' }

const inSegment = (list: readonly Coordinate[], segment: string | undefined): readonly Coordinate[] =>
  segment === undefined ? list : list.filter(one => one.Segment === segment)

const nodeCoordinatesRoute: Route = route({
  ...read,
  access: requires('node:read'),
  path: '/v1/coordinate/node/*name',
  operationId: 'listNodeCoordinates',
  summary: 'The coordinates of a node, one for each network segment',
  past: catalogHistory,
  query: { segment: 'Only that of this network segment' },
  response: Type.Array(coordinate),
  handle: request =>
    respondToRead(request, () => {
      const { coordinates } = request.views
      const { tenancy, query } = request
      const { partition } = tenancy
      const name = request.param('name')
      requireOnNode(request, 'node', 'read', name, nodeTenancy(tenancy))
      const found = inSegment([...(coordinates.of(partition, name)?.values() ?? [])], query.get('segment'))
      const index = coordinates.indexOf(partition)
      const watch = [coordinatesKey(partition)]
      if (found.length === 0)
        return {
          index,
          watch,
          answer: refusedWith('catalog.coordinate-unknown', `node "${name}" has no coordinates`)
        }
      // The response has the requested spelling of the name (state.md §2).
      return reading(JSON.stringify(found.map(one => ({ ...one, Node: name }))), index, watch)
    })
})

const datacenterCoordinatesRoute = (area: DatacenterList): Route =>
  route({
    ...facts,
    tenancy: 'none',
    access: noToken,
    method: 'GET',
    // Each server measures by itself.
    runs: 'here',
    path: '/v1/coordinate/datacenters',
    operationId: 'listDatacenterCoordinates',
    summary: 'The known coordinates of the servers by datacenter',
    response: Type.Array(datacenterCoordinates),
    handle: ({ settings, views }) => {
      const { datacenter, node_name: Node } = settings
      const Coord = area.place() ?? views.coordinates.of('default', Node)?.get('')?.Coord ?? ORIGIN
      const all = [
        { name: datacenter, coords: new Map([[Node, Coord]]) },
        // A datacenter that has not responded yet has no coordinates.
        ...area.others().filter(({ coords }) => coords.size > 0)
      ]
      return json(
        all.map(({ name, coords }) => ({
          Datacenter: name,
          AreaID: 'wan',
          Coordinates: [...coords].map(([server, coord]) => ({ Node: server, Segment: '', Coord: coord }))
        }))
      )
    }
  })

const coordinatesRoute: Route = route({
  ...read,
  access: anyToken('nodes without node:read are left out'),
  path: '/v1/coordinate/nodes',
  operationId: 'listCoordinates',
  isPaged: true,
  summary: 'The coordinates of all nodes',
  past: catalogHistory,
  query: { segment: 'Only those of this network segment' },
  response: Type.Array(coordinate),
  handle: request =>
    respondToRead(request, (): ListState => {
      const { coordinates } = request.views
      const { partition } = request.tenancy
      const scope = new CatalogScope(request, partition)
      const segment = request.query.get('segment')
      const found = readableSteps(request, {
        parts: [{ name: '', behind: after => coordinates.inOrder(partition, after) }],
        keyOf: row => row.order,
        passes: segment === undefined ? undefined : row => row.coordinate.Segment === segment,
        may: row => scope.node(row.coordinate.Node)
      })
      return {
        index: coordinates.indexOf(partition),
        watch: [coordinatesKey(partition)],
        steps: readableList(found, row => JSON.stringify(row.coordinate))
      }
    })
})

export const coordinateRoutes = (batches: CoordinateBatches, area: DatacenterList): readonly Route[] => [
  bodyRoute({
    ...facts,
    access: requires('node:write'),
    method: 'PUT',
    path: '/v1/coordinate/update',
    operationId: 'updateCoordinate',
    summary: 'Tell the coordinate of a node; it is stored within 5 seconds, with an idempotency key at once',
    body: COORDINATE,
    belongsTo: request => request.decode(COORDINATE).Datacenter,
    handle: (request, given) => {
      const { tenancy } = request
      const node = given.Node ?? ''
      requireOnNode(request, 'node', 'write', node, nodeTenancy(tenancy))
      requireOwnDatacenter(request, given.Datacenter)
      if (node === '') throw invalid('catalog.invalid', 'field "Node" is missing')
      if (!given.Coord) throw invalid('catalog.invalid', 'field "Coord" is missing')
      const { Vec = [], Error = 0, Adjustment = 0, Height = 0 } = given.Coord
      if (Vec.length !== DIMENSIONS)
        throw invalid(
          'catalog.invalid',
          `incompatible coordinate: field "Coord.Vec" has ${Vec.length} numbers, not ${DIMENSIONS}`
        )
      const update = {
        partition: tenancy.partition,
        coordinate: { Node: node, Segment: given.Segment ?? '', Coord: { Vec, Error, Adjustment, Height } }
      }
      if (!request.isKeyed) {
        batches.add(update)
        return empty(200)
      }
      batches.supersede(update)
      const command = request.command('UpdateCoordinates', { updates: [update] })
      return request.write(inCluster(COORDINATE_TOPIC), command, () => empty(200))
    }
  }),
  coordinatesRoute,
  nodeCoordinatesRoute,
  datacenterCoordinatesRoute(area)
]
