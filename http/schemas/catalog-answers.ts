// Nodes, services and checks in answers (spec: state.md §2, §6.1).
import * as Type from 'typebox'
import { nodeShape } from '../../events/node.js'
import { serviceShape } from '../../events/service.js'
import { nameOnNode, onNodeFields } from '../../projections/catalog/service-forms.js'
import { probeProperties } from './catalog.js'
import { answerSchema, shownExample, shownFields } from './shapes.js'
import { shownIndexes, shownTenancy, shownTexts } from './shown.js'
import { flag, integer, text, texts } from './strict.js'

const indexes = { CreateIndex: 14, ModifyIndex: 14 }

/** A node. */
export const node = answerSchema(nodeShape)

const { Meta: NodeMeta, ...example } = nodeShape.example.given
/** The node of all examples, without its metadata. */
export const NODE = example

/** A service, without its node. */
export const nodeService = answerSchema(serviceShape)

/** What the examples show of the service. */
export const SERVICE = shownExample(serviceShape, 'shown')
const {
  CreateIndex: _made,
  ModifyIndex: _changed,
  ...content
} = { ...SERVICE, ...indexes, Kind: '', SocketPath: '', Meta: {} }

/** A service, with its node in one object. */
export const serviceNode = Type.Object(
  {
    ...shownFields(onNodeFields, 'shown')
  },
  {
    $id: 'ServiceNode',
    examples: [
      {
        ...NODE,
        NodeMeta,
        ...Object.fromEntries(Object.entries(content).map(([name, value]) => [nameOnNode(name), value])),
        ...indexes
      }
    ]
  }
)

const definition = Type.Object(
  {
    ...probeProperties,
    Interval: text('Duration'),
    Timeout: text('Duration'),
    DeregisterCriticalServiceAfter: text('Duration'),
    OutputMaxSize: integer('Bytes'),
    ScriptArgs: texts('Command'),
    DockerContainerID: text('Container'),
    Shell: text('Shell'),
    GRPC: text('host:port/service'),
    GRPCUseTLS: flag('With TLS'),
    AliasNode: text('Node whose health is taken over'),
    AliasService: text('Service whose health is taken over'),
    TTL: integer('Nanoseconds')
  },
  { $id: 'CheckDefinition', description: 'How the check finds out; empty for one that is told' }
)

/** A check. */
export const healthCheck = Type.Object(
  {
    Node: Type.String(),
    CheckID: Type.String({ description: 'Unique on its node' }),
    Name: Type.String({ description: 'Name for people' }),
    Status: Type.String({ description: 'passing, warning or critical' }),
    Notes: Type.String(),
    Output: Type.String({ description: 'What was found last' }),
    ServiceID: Type.String({ description: 'Empty for a check of the node' }),
    ServiceName: Type.String(),
    ServiceTags: shownTexts,
    Type: Type.String({ description: 'http, tcp, ttl, grpc, alias and so on; may be empty' }),
    Interval: Type.String(),
    Timeout: Type.String(),
    ExposedPort: Type.Integer(),
    Definition: definition,
    ...shownTenancy,
    ...shownIndexes
  },
  {
    $id: 'HealthCheck',
    examples: [
      {
        Node: 'node-1',
        CheckID: 'web-1-alive',
        Name: 'web answers',
        Status: 'passing',
        Notes: '',
        Output: '200 OK',
        ServiceID: 'web-1',
        ServiceName: 'web',
        ServiceTags: ['v1'],
        Type: 'http',
        Interval: '10s',
        Timeout: '1s',
        ExposedPort: 0,
        Definition: { HTTP: 'http://10.0.0.1:8080/alive', Interval: '10s', Timeout: '1s' },
        ...indexes
      }
    ]
  }
)

/** An instance of a service, with its node and the checks of both. */
export const serviceHealth = Type.Object(
  { Node: node, Service: nodeService, Checks: Type.Array(healthCheck) },
  { $id: 'ServiceHealth' }
)

/** A node with its services by ID; null where there is no such node. */
export const nodeServices = Type.Union([
  Type.Object({ Node: node, Services: Type.Record(Type.String(), nodeService) }, { $id: 'NodeServices' }),
  Type.Null()
])

/** A node with the list of its services; both null where there is no such node. */
export const nodeServiceList = Type.Object(
  {
    Node: Type.Union([node, Type.Null()]),
    Services: Type.Union([Type.Array(nodeService), Type.Null()])
  },
  { $id: 'NodeServiceList' }
)

/** The names of services with their tags. */
export const serviceNames = Type.Record(Type.String(), Type.Array(Type.String()), {
  examples: [{ consul: [], web: ['v1'] }]
})
