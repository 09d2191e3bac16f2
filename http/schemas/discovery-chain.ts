// The compiled discovery chain and the overrides of its compilation, for the API documentation (spec: config.md §6).
import * as Type from 'typebox'
import { textList, text, sample, view } from './view.js'

const meshGatewayMode = text('`none`, `local` or `remote`')

/** Further fields are ignored. Other letter cases and snake case are accepted. */
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
      Type.Object({ Mode: meshGatewayMode }, { description: 'Mesh gateway of every target' })
    )
  },
  { $id: 'ChainOverrides', examples: [{ OverrideProtocol: 'grpc', OverrideConnectTimeout: '10s' }] }
)

const duration = Type.String({ description: 'Duration' })
const nextNode = Type.String({ description: 'Key in Nodes' })

const anyObject = Type.Object({}, { additionalProperties: true })
const definition = Type.Object(
  { Match: Type.Optional(Type.Union([anyObject, Type.Null()])) },
  { additionalProperties: true }
)
const route = Type.Object({ Definition: definition, NextNode: nextNode })
const split = Type.Object({ Weight: Type.Optional(Type.Number()), NextNode: nextNode })
const resolver = Type.Object({
  ConnectTimeout: duration,
  Default: Type.Optional(Type.Boolean()),
  Target: Type.String({ description: 'Key in Targets' }),
  Failover: Type.Optional(Type.Object({ Targets: textList }))
})

const node = view('ChainNode', {
  Type: Type.String({ description: '`router`, `splitter` or `resolver`' }),
  Name: Type.String(),
  Routes: Type.Optional(Type.Array(route)),
  Splits: Type.Optional(Type.Array(split)),
  Resolver: Type.Optional(resolver),
  LoadBalancer: Type.Optional(anyObject)
})

const target = view('ChainTarget', {
  ID: Type.String(),
  Service: Type.String(),
  ServiceSubset: text('Absent for all instances'),
  Namespace: Type.String(),
  Partition: text('Absent in `default`'),
  Datacenter: Type.String(),
  ConnectTimeout: duration,
  MeshGateway: Type.Object({ Mode: meshGatewayMode }),
  Subset: Type.Object({ Filter: text('Filter expression'), OnlyPassing: Type.Optional(Type.Boolean()) }),
  External: Type.Optional(Type.Boolean()),
  SNI: Type.String(),
  Name: Type.String()
})

const TARGET = 'web.default.dc1'
const TARGET_NAME = `${TARGET}.internal.example.consul`
const RESOLVER = `resolver:${TARGET}`
const NODES = {
  [RESOLVER]: {
    Type: 'resolver',
    Name: TARGET,
    Resolver: { ConnectTimeout: '5s', Default: true, Target: TARGET }
  }
}
const TARGETS = {
  [TARGET]: {
    ID: TARGET,
    Service: 'web',
    Namespace: 'default',
    Datacenter: 'dc1',
    ConnectTimeout: '5s',
    MeshGateway: {},
    Subset: {},
    SNI: TARGET_NAME,
    Name: TARGET_NAME
  }
}

/** A compiled chain. */
export const chain = view('Chain', {
  ServiceName: sample.text('web'),
  Namespace: sample.text('default'),
  Partition: text('Absent in `default`'),
  Datacenter: sample.text('dc1'),
  CustomizationHash: text('Present when an override had an effect'),
  Protocol: sample.text('tcp'),
  StartNode: sample.of(RESOLVER, nextNode),
  Nodes: sample.of(NODES, Type.Record(Type.String(), node)),
  Targets: sample.of(TARGETS, Type.Record(Type.String(), target))
})

export const chainResponse = view('ChainAnswer', { Chain: chain })
