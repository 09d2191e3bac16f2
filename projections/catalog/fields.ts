// What filter expressions may select of nodes, services and checks (spec: state.md §13).
import { bool, map, number, object, objects, string, strings, type Fields } from '../language/fields.js'

const taggedServiceAddresses = map(object({ Address: string, Port: number }))
const weights = object({ Passing: number, Warning: number })
const connect = object({ Native: bool })
const meshGateway = object({ Mode: string })

const proxy = object({
  DestinationServiceName: string,
  DestinationServiceID: string,
  LocalServiceAddress: string,
  LocalServicePort: number,
  LocalServiceSocketPath: string,
  Mode: string,
  MeshGateway: meshGateway,
  Expose: object({
    Checks: bool,
    Paths: objects({
      ListenerPort: number,
      Path: string,
      LocalPathPort: number,
      Protocol: string,
      ParsedFromCheck: bool
    })
  }),
  TransparentProxy: object({ OutboundListenerPort: number, DialedDirectly: bool }),
  Upstreams: objects({
    DestinationType: string,
    DestinationNamespace: string,
    DestinationName: string,
    Datacenter: string,
    LocalBindAddress: string,
    LocalBindPort: number,
    LocalBindSocketPath: string,
    LocalBindSocketMode: string,
    MeshGateway: meshGateway
  })
})

export const nodeFields: Fields = {
  ID: string,
  Node: string,
  Address: string,
  Datacenter: string,
  TaggedAddresses: map(string),
  Meta: map(string)
}

/** Of a service without its node. */
export const serviceFields: Fields = {
  Kind: string,
  ID: string,
  Service: string,
  Tags: strings,
  Address: string,
  TaggedAddresses: taggedServiceAddresses,
  Meta: map(string),
  Port: number,
  SocketPath: string,
  Weights: weights,
  EnableTagOverride: bool,
  Proxy: proxy,
  Connect: connect
}

/** Of a service and its node in one object. */
export const serviceNodeFields: Fields = {
  ID: string,
  Node: string,
  Address: string,
  Datacenter: string,
  TaggedAddresses: map(string),
  NodeMeta: map(string),
  ServiceKind: string,
  ServiceID: string,
  ServiceName: string,
  ServiceTags: strings,
  ServiceAddress: string,
  ServiceTaggedAddresses: taggedServiceAddresses,
  ServiceMeta: map(string),
  ServicePort: number,
  ServiceSocketPath: string,
  ServiceWeights: weights,
  ServiceEnableTagOverride: bool,
  ServiceProxy: proxy,
  ServiceConnect: connect
}

export const checkFields: Fields = {
  Node: string,
  CheckID: string,
  Name: string,
  Status: string,
  Notes: string,
  Output: string,
  ServiceID: string,
  ServiceName: string,
  ServiceTags: strings,
  Type: string,
  Interval: string,
  Timeout: string,
  ExposedPort: number
}

/** Of the health of a service. */
export const serviceHealthFields: Fields = {
  Node: object(nodeFields),
  Service: object(serviceFields),
  Checks: objects(checkFields)
}
