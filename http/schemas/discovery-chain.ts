// The compiled discovery chain and the overrides of its compilation, for the description of the API (spec: config.md §6).
import * as Type from 'typebox'
import { text } from './strict.js'

/** Further fields are passed over, and spellings in other letter cases and in snake case are accepted. */
export const chainOverridesBody = Type.Object(
  {
    OverrideProtocol: text(
      'Protocol of the whole chain; one that is not http, http2 or grpc leaves out routers and splitters'
    ),
    OverrideConnectTimeout: Type.Optional(
      Type.Union([Type.String(), Type.Number()], {
        description: 'Connect timeout of every target: a duration, or nanoseconds'
      })
    ),
    OverrideMeshGateway: Type.Optional(
      Type.Object(
        { Mode: text('`none`, `local` or `remote`') },
        { description: 'Mesh gateway of every target' }
      )
    )
  },
  { $id: 'ChainOverrides', examples: [{ OverrideProtocol: 'grpc', OverrideConnectTimeout: '10s' }] }
)

const nextNode = Type.String({ description: 'Key in Nodes' })

const node = Type.Object(
  {
    Type: Type.String({ description: '`router`, `splitter` or `resolver`' }),
    Name: Type.String(),
    Routes: Type.Optional(
      Type.Array(
        Type.Object({ Definition: Type.Object({}, { additionalProperties: true }), NextNode: nextNode })
      )
    ),
    Splits: Type.Optional(
      Type.Array(Type.Object({ Weight: Type.Optional(Type.Number()), NextNode: nextNode }))
    ),
    Resolver: Type.Optional(
      Type.Object({
        ConnectTimeout: Type.String({ description: 'Duration' }),
        Default: Type.Optional(Type.Boolean()),
        Target: Type.String({ description: 'Key in Targets' }),
        Failover: Type.Optional(Type.Object({ Targets: Type.Array(Type.String()) }))
      })
    ),
    LoadBalancer: Type.Optional(Type.Object({}, { additionalProperties: true }))
  },
  { $id: 'ChainNode' }
)

const target = Type.Object(
  {
    ID: Type.String(),
    Service: Type.String(),
    ServiceSubset: text('Absent for all instances'),
    Namespace: Type.String(),
    Partition: text('Absent in `default`'),
    Datacenter: Type.String(),
    ConnectTimeout: Type.String({ description: 'Duration' }),
    MeshGateway: Type.Object({ Mode: text('`none`, `local` or `remote`') }),
    Subset: Type.Object({ Filter: text('Filter expression'), OnlyPassing: Type.Optional(Type.Boolean()) }),
    External: Type.Optional(Type.Boolean()),
    SNI: Type.String(),
    Name: Type.String()
  },
  { $id: 'ChainTarget' }
)

const TARGET = 'web.default.dc1'
const RESOLVER = `resolver:${TARGET}`

/** A compiled chain. */
export const chain = Type.Object(
  {
    ServiceName: Type.String(),
    Namespace: Type.String(),
    Partition: text('Absent in `default`'),
    Datacenter: Type.String(),
    CustomizationHash: text('Present when an override had an effect'),
    Protocol: Type.String(),
    StartNode: nextNode,
    Nodes: Type.Record(Type.String(), node),
    Targets: Type.Record(Type.String(), target)
  },
  {
    $id: 'Chain',
    examples: [
      {
        ServiceName: 'web',
        Namespace: 'default',
        Datacenter: 'dc1',
        Protocol: 'tcp',
        StartNode: RESOLVER,
        Nodes: {
          [RESOLVER]: {
            Type: 'resolver',
            Name: TARGET,
            Resolver: { ConnectTimeout: '5s', Default: true, Target: TARGET }
          }
        },
        Targets: {
          [TARGET]: {
            ID: TARGET,
            Service: 'web',
            Namespace: 'default',
            Datacenter: 'dc1',
            ConnectTimeout: '5s',
            MeshGateway: {},
            Subset: {},
            SNI: 'web.default.dc1.internal.example.consul',
            Name: 'web.default.dc1.internal.example.consul'
          }
        }
      }
    ]
  }
)

export const chainResponse = Type.Object({ Chain: chain }, { $id: 'ChainAnswer' })
