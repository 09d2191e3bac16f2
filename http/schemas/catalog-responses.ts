// Nodes, services and checks in responses (spec: state.md §2, §6.1).
import * as Type from 'typebox'
import { checkResource } from '../../events/check.js'
import { nodeDefinition } from '../../events/node.js'
import { serviceDefinition } from '../../events/service.js'
import { nameOnNode, onNodeFields } from '../../projections/catalog/json.js'
import { viewFields } from '../../events/definition/forms/forms.js'
import { responseSchema, viewExample } from './definition-schemas.js'
import { view } from './view.js'

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
