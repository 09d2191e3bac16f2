// Nodes, services and checks in responses (spec: state.md §2, §6.1).
import * as Type from 'typebox'
import { checkResource } from '../../events/check.js'
import { nodeDefinition } from '../../events/node.js'
import { serviceDefinition } from '../../events/service.js'
import { nameOnNode, onNodeFields } from '../../projections/catalog/json.js'
import { viewFields } from '../../events/definition/forms/forms.js'
import { responseSchema, viewExample } from './definition-schemas.js'
import { view, integer, strict, text, sample } from './view.js'

const indexes = { CreateIndex: 14, ModifyIndex: 14 }

/** A node. */
export const node = responseSchema(nodeDefinition)

const { Meta: NodeMeta, ...example } = nodeDefinition.example.given
/** The node of all examples, without its metadata. */
export const NODE = example

/** A service, without its node. */
export const nodeService = responseSchema(serviceDefinition)

/** The service of all examples, without its indexes. */
export const SERVICE = Object.fromEntries(
  Object.entries(viewExample(serviceDefinition, 'shown')).filter(([name]) => !(name in indexes))
)
const serviceOnNode = Object.fromEntries(
  Object.entries({ ...SERVICE, Kind: '', SocketPath: '', Meta: {} }).map(([name, value]) => [
    nameOnNode(name),
    value
  ])
)

/** A service, with its node in one object. */
export const serviceNode = Type.Object(viewFields(onNodeFields, 'shown'), {
  $id: 'ServiceNode',
  examples: [{ ...NODE, NodeMeta, ...serviceOnNode, ...indexes }]
})

/** A check. */
export const healthCheck = responseSchema(checkResource)

/** An instance of a service, with its node and the checks of both. */
export const serviceHealth = view('ServiceHealth', {
  Node: node,
  Service: nodeService,
  Checks: Type.Array(healthCheck)
})

const orNull = (schema: Type.TSchema) => Type.Union([schema, Type.Null()])

/** A node with its services by ID; null where there is no such node. */
export const nodeServices = orNull(
  view('NodeServices', { Node: node, Services: Type.Record(Type.String(), nodeService) })
)

/** A node with the list of its services; both null where there is no such node. */
export const nodeServiceList = view('NodeServiceList', {
  Node: orNull(node),
  Services: orNull(Type.Array(nodeService))
})

/** The names of services with their tags. */
export const serviceNames = Type.Record(Type.String(), Type.Array(Type.String()), {
  examples: [{ consul: [], web: ['v1'] }]
})

// Network coordinates in bodies and responses (spec: state.md §9).

const COORD = { Vec: [0, 0, 0, 0, 0, 0, 0, 0], Error: 1.5, Adjustment: 0, Height: 0.00001 }
const numberField = (description: string) => Type.Optional(Type.Number({ description }))

export const coordinateBody = strict(
  {
    Datacenter: text('Datacenter of the node, which executes the request; the own one unless given'),
    Node: text('Node that it is of'),
    Segment: text('Network segment'),
    Partition: text('Partition of the node'),
    Coord: Type.Optional(
      strict({
        Vec: Type.Optional(Type.Array(Type.Number())),
        Error: numberField('Confidence'),
        Adjustment: numberField('Seconds'),
        Height: numberField('Seconds')
      })
    ),
    CreateIndex: integer('Ignored'),
    ModifyIndex: integer('Ignored')
  },
  { $id: 'CoordinateInput', examples: [{ Node: 'node-1', Coord: COORD }] }
)

/** The network coordinate of a node. */
export const coord = Type.Object(
  {
    Vec: Type.Array(Type.Number()),
    Error: Type.Number(),
    Adjustment: Type.Number({ description: 'Seconds' }),
    Height: Type.Number({ description: 'Seconds' })
  },
  { $id: 'Coord', examples: [COORD] }
)

export const coordinate = view('Coordinate', {
  Node: sample.text('node-1'),
  Segment: sample.text(''),
  Coord: sample.of(COORD, coord)
})

/** The coordinates of the servers of a datacenter. */
export const datacenterCoordinates = view('DatacenterCoordinates', {
  Datacenter: Type.String({ examples: ['dc1'] }),
  AreaID: Type.String({ examples: ['wan'] }),
  Coordinates: Type.Array(coordinate)
})
