// Bodies and answers of nodes, services and checks (spec: state.md §2, §6.2, §6.3).
import * as Type from 'typebox'
import { flag, integer, strict, text, texts } from './strict.js'

const textMap = (description: string) =>
  Type.Optional(Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], { description }))
const textList = (description: string) =>
  Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()], { description }))
const anyMap = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }))
const duration = Type.Optional(
  Type.Union([Type.String(), Type.Number()], {
    description: 'A duration such as 10s, or a number of nanoseconds'
  })
)
const tenancy = { Namespace: text('Namespace of the thing'), Partition: text('Its admin partition') }
const indexes = {
  CreateIndex: Type.Optional(Type.Number({ minimum: 0 })),
  ModifyIndex: Type.Optional(Type.Number({ minimum: 0 }))
}

const gatewayMode = Type.Optional(strict({ Mode: text('local, remote or none') }))
const upstreamBody = strict(
  {
    DestinationType: text('service or prepared_query'),
    DestinationNamespace: text('Namespace of the destination'),
    DestinationPartition: text('Partition of the destination'),
    DestinationName: text('What is reached'),
    Datacenter: text('Where it is'),
    LocalBindAddress: text('Address that the proxy listens on'),
    LocalBindPort: integer('Port that the proxy listens on'),
    LocalBindSocketPath: text('Socket that the proxy listens on'),
    LocalBindSocketMode: text('Mode of that socket'),
    Config: anyMap('Free settings'),
    MeshGateway: gatewayMode,
    CentrallyConfigured: flag('Ignored')
  },
  { $id: 'UpstreamInput' }
)
const exposedPath = strict(
  {
    ListenerPort: integer('Port that is exposed'),
    Path: text('Path that is exposed'),
    LocalPathPort: integer('Port of the service'),
    Protocol: text('http or http2'),
    ParsedFromCheck: flag('Set by the service')
  },
  { $id: 'ExposedPathInput' }
)

export const proxyBody = strict(
  {
    DestinationServiceName: text('Service that the proxy stands for'),
    DestinationServiceID: text('Instance that the proxy stands for'),
    LocalServiceAddress: text('Where that instance listens'),
    LocalServicePort: integer('Where that instance listens'),
    LocalServiceSocketPath: text('Where that instance listens'),
    Mode: text('direct or transparent'),
    Config: anyMap('Free settings'),
    Upstreams: Type.Optional(Type.Array(upstreamBody)),
    MeshGateway: gatewayMode,
    Expose: Type.Optional(
      strict({ Checks: flag('Expose the checks'), Paths: Type.Optional(Type.Array(exposedPath)) })
    ),
    TransparentProxy: Type.Optional(
      strict({ OutboundListenerPort: integer('Port'), DialedDirectly: flag('Without the proxy') })
    )
  },
  { $id: 'ProxyInput' }
)

export const taggedAddresses = Type.Optional(
  Type.Union(
    [Type.Record(Type.String(), strict({ Address: text('Address'), Port: integer('Port') })), Type.Null()],
    { description: 'Further addresses by name' }
  )
)
export const weights = Type.Optional(
  Type.Union([strict({ Passing: integer('While passing'), Warning: integer('While warning') }), Type.Null()])
)

export const serviceBody = strict(
  {
    Kind: text('Empty for ordinary services, connect-proxy, or the kind of a gateway'),
    ID: text('Unique on its node; the name when not given'),
    Service: text('Name of the service'),
    Tags: textList('Tags'),
    Address: text('Where it listens; the address of its node when empty'),
    TaggedAddresses: taggedAddresses,
    Meta: textMap('Metadata'),
    Port: integer('Where it listens'),
    SocketPath: text('Where it listens'),
    Weights: weights,
    EnableTagOverride: flag('Whether others may change its tags'),
    Proxy: Type.Optional(Type.Union([proxyBody, Type.Null()])),
    Connect: Type.Optional(
      Type.Union([
        strict({ Native: flag('Speaks Connect itself'), SidecarService: Type.Optional(Type.Unknown()) }),
        Type.Null()
      ])
    ),
    Datacenter: text('Ignored'),
    ContentHash: text('Ignored'),
    ...tenancy,
    ...indexes
  },
  { $id: 'ServiceInput' }
)

/** How a check finds out. Unknown fields are ignored here. */
export const definitionBody = Type.Object(
  {
    HTTP: text('URL'),
    TLSServerName: text('Name for TLS'),
    TLSSkipVerify: flag('Whether certificates are not verified'),
    Header: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
    Method: text('HTTP method'),
    Body: text('HTTP body'),
    DisableRedirects: flag('Whether redirects are not followed'),
    TCP: text('host:port'),
    H2PING: text('host:port'),
    Interval: duration,
    IntervalDuration: duration,
    Timeout: duration,
    TimeoutDuration: duration,
    DeregisterCriticalServiceAfter: duration,
    DeregisterCriticalServiceAfterDuration: duration,
    OutputMaxSize: integer('Bytes'),
    ScriptArgs: texts('Command'),
    DockerContainerID: text('Container'),
    Shell: text('Shell'),
    GRPC: text('host:port/service'),
    GRPCUseTLS: flag('With TLS'),
    AliasNode: text('Node whose health is taken over'),
    AliasService: text('Service whose health is taken over'),
    TTL: duration
  },
  { $id: 'CheckDefinitionInput' }
)

/** A check as a transaction takes it. */
export const txnCheckFields = {
  Node: text('Node that it is on'),
  CheckID: text('Unique on its node; the name when not given'),
  Name: text('Name for people'),
  Status: text('passing, warning or critical; critical when not given'),
  Notes: text('Free text'),
  Output: text('What it found last'),
  ServiceID: text('Service that it is of; empty for the node'),
  ServiceName: text('Set by the service'),
  ServiceTags: textList('Set by the service'),
  Type: text('Kind of the check; from the definition when not given'),
  Definition: Type.Optional(Type.Union([definitionBody, Type.Null()])),
  ...tenancy,
  ...indexes
}

export const checkBody = strict(
  {
    ...txnCheckFields,
    Interval: text('As shown'),
    Timeout: text('As shown'),
    ExposedPort: integer('As shown')
  },
  { $id: 'CheckInput' }
)

/** A node as a transaction takes it. */
export const nodeBody = strict(
  {
    ID: text('UUID'),
    Node: text('Name'),
    Address: text('IP address or name'),
    Datacenter: text('The own one when not given'),
    TaggedAddresses: textMap('Further addresses by name'),
    Meta: textMap('Metadata'),
    Partition: text('Admin partition'),
    ...indexes
  },
  { $id: 'NodeInput' }
)

const REGISTRATION = {
  Node: 'node-1',
  Address: '10.0.0.1',
  Service: { ID: 'web-1', Service: 'web', Port: 8080, Tags: ['v1'] },
  Check: { Name: 'web answers', ServiceID: 'web-1', Status: 'passing' }
}

export const registerBody = strict(
  {
    Datacenter: text('Datacenter of the node'),
    ID: text('UUID of the node'),
    Node: text('Name of the node'),
    Address: text('Address of the node'),
    TaggedAddresses: textMap('Further addresses of the node by name'),
    NodeMeta: textMap('Metadata of the node'),
    Service: Type.Optional(serviceBody),
    Check: Type.Optional(checkBody),
    Checks: Type.Optional(Type.Array(checkBody)),
    SkipNodeUpdate: flag('Whether an existing node is left as it is'),
    ...tenancy,
    ...indexes
  },
  { $id: 'RegistrationInput', examples: [REGISTRATION] }
)

export const deregisterBody = strict(
  {
    Datacenter: text('Datacenter of the node'),
    Node: text('Name of the node'),
    ServiceID: text('The instance to remove; wins over CheckID'),
    CheckID: text('The check to remove'),
    Address: text('Ignored'),
    ...tenancy
  },
  { $id: 'DeregistrationInput', examples: [{ Node: 'node-1', ServiceID: 'web-1' }] }
)
