// Service instances of the catalog: what one is, and the events of its life (spec: state.md §2, stream.md §15).
import type { Event } from './envelope.js'
import type { Texts } from './node.js'

export interface ServiceAddress {
  readonly Address: string
  readonly Port: number
}

export interface Weights {
  readonly Passing: number
  readonly Warning: number
}

/** Where a proxy sends what it gets for one of its destinations. */
export interface Upstream {
  readonly DestinationType: string
  readonly DestinationNamespace?: string
  readonly DestinationName: string
  readonly Datacenter: string
  readonly LocalBindAddress?: string
  readonly LocalBindPort?: number
  readonly LocalBindSocketPath?: string
  readonly LocalBindSocketMode?: string
  readonly Config?: Readonly<Record<string, unknown>>
  readonly MeshGateway: { readonly Mode?: string }
}

export interface ExposedPath {
  readonly ListenerPort?: number
  readonly Path?: string
  readonly LocalPathPort?: number
  readonly Protocol?: string
  readonly ParsedFromCheck?: boolean
}

/** What makes a service a proxy; empty fields are left out. */
export interface ServiceProxy {
  readonly DestinationServiceName?: string
  readonly DestinationServiceID?: string
  readonly LocalServiceAddress?: string
  readonly LocalServicePort?: number
  readonly LocalServiceSocketPath?: string
  readonly Mode: string
  readonly Config?: Readonly<Record<string, unknown>>
  readonly Upstreams?: readonly Upstream[]
  readonly MeshGateway: { readonly Mode?: string }
  readonly Expose: { readonly Checks?: boolean; readonly Paths?: readonly ExposedPath[] }
  readonly TransparentProxy?: { readonly OutboundListenerPort?: number; readonly DialedDirectly?: boolean }
}

/** A service instance without the node it runs on. Null where nothing was given, which is not the same as empty. */
export interface CatalogService {
  /** '' for ordinary services, `connect-proxy`, a gateway's kind, or any other text. */
  readonly Kind: string
  /** Unique on its node and in its namespace without regard to letter case. */
  readonly ID: string
  /** The name that all instances of a service share. */
  readonly Service: string
  readonly Tags: readonly string[] | null
  readonly Address: string
  readonly TaggedAddresses: Readonly<Record<string, ServiceAddress>> | null
  readonly Meta: Texts | null
  readonly Port: number
  readonly SocketPath: string
  readonly Weights: Weights
  readonly EnableTagOverride: boolean
  readonly Proxy: ServiceProxy
  readonly Connect: { readonly Native?: boolean }
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** Everything that is known of an instance. */
export interface ServiceState {
  readonly partition: string
  readonly namespace: string
  /** Name of its node. */
  readonly node: string
  readonly service: CatalogService
  /** Whether it was registered through the agent endpoints. */
  readonly agent: boolean
}

/** An instance as events carry it. */
export interface ServicePayload {
  readonly ID: string
  readonly ServiceName: string
  readonly Namespace: string
  readonly NodeID: string
  readonly Datacenter: string
  readonly Tags: readonly string[] | null
  /** Of the instance, or of its node when it has none of its own. */
  readonly Address: string
  readonly Port: number
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Node: string
  readonly Kind: string
  readonly ServiceAddress: string
  readonly TaggedAddresses: Readonly<Record<string, ServiceAddress>> | null
  readonly SocketPath: string
  readonly Meta: Texts | null
  readonly Weights: Weights
  readonly EnableTagOverride: boolean
  readonly Proxy: ServiceProxy
  readonly Connect: { readonly Native?: boolean }
  readonly Partition: string
  /** Whether it was registered through the agent endpoints. */
  readonly Agent?: true
  /** Only in events of before: fields that are null, and were written as empty. */
  readonly NotGiven?: readonly 'Tags'[]
}

export const SERVICE_TOPIC = 'Service'
type ServiceEventOf<Type extends string> = Event<
  typeof SERVICE_TOPIC,
  Type,
  { readonly Service: ServicePayload }
>
export type ServiceRegistration = ServiceEventOf<'ServiceRegistration'>
export type ServiceDeregistration = ServiceEventOf<'ServiceDeregistration'>
export type ServiceEvent = ServiceRegistration | ServiceDeregistration

/** Tells a service's events from others; what the log holds under this topic was written by us. */
export const isServiceEvent = (event: Event): event is ServiceEvent => event.Topic === SERVICE_TOPIC

/** The node of an instance as far as its events tell of it. */
export interface HostingNode {
  readonly ID: string
  readonly Node: string
  readonly Address: string
  readonly Datacenter: string
}

/** The payload of an instance on its node. */
export const servicePayload = (state: ServiceState, node: HostingNode): ServicePayload => {
  const { service, namespace, partition } = state
  return {
    ID: service.ID,
    ServiceName: service.Service,
    Namespace: namespace,
    NodeID: node.ID,
    Datacenter: node.Datacenter,
    Tags: service.Tags,
    Address: service.Address || node.Address,
    Port: service.Port,
    CreateIndex: service.CreateIndex,
    ModifyIndex: service.ModifyIndex,
    Node: node.Node,
    Kind: service.Kind,
    ServiceAddress: service.Address,
    TaggedAddresses: service.TaggedAddresses,
    SocketPath: service.SocketPath,
    Meta: service.Meta,
    Weights: service.Weights,
    EnableTagOverride: service.EnableTagOverride,
    Proxy: service.Proxy,
    Connect: service.Connect,
    Partition: partition,
    ...(state.agent ? { Agent: true } : {})
  }
}

/** The instance that an event tells of. */
export const serviceState = ({ Partition, Namespace, Payload: { Service } }: ServiceEvent): ServiceState => ({
  partition: Partition,
  namespace: Namespace,
  node: Service.Node,
  service: {
    Kind: Service.Kind,
    ID: Service.ID,
    Service: Service.ServiceName,
    Tags: Service.NotGiven?.includes('Tags') ? null : Service.Tags,
    Address: Service.ServiceAddress,
    TaggedAddresses: Service.TaggedAddresses,
    Meta: Service.Meta,
    Port: Service.Port,
    SocketPath: Service.SocketPath,
    Weights: Service.Weights,
    EnableTagOverride: Service.EnableTagOverride,
    Proxy: Service.Proxy,
    Connect: Service.Connect,
    CreateIndex: Service.CreateIndex,
    ModifyIndex: Service.ModifyIndex
  },
  agent: Service.Agent === true
})
