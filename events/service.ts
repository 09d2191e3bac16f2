// Service instances of the catalog: what one is, and the events of its life (spec: state.md §2, stream.md §15).
import type { Event } from './envelope.js'
import { proxy } from './proxy.js'
import { tenancy, unfilteredIndexes } from './shape/common.js'
import { added, given, ignored, shape } from './shape/fields.js'
import { flag, free, integer, map, nullTaken, object, orNull, text, texts } from './shape/forms.js'
import { pickerOf } from './shape/stored.js'
import type { Stored, StoredInput } from './shape/types.js'

const address = object({
  Address: given(text, 'Address'),
  Port: given(integer, 'Port')
})
const weights = object(
  {
    Passing: given(integer, 'How often DNS answers with the instance while it is passing'),
    Warning: given(integer, 'How often DNS answers with it while it is warning')
  },
  'Weights'
)
const connect = object(
  {
    Native: added(flag, 'Speaks Connect itself'),
    SidecarService: ignored(orNull(free), 'Ignored: the agent registers sidecars')
  },
  'Connect'
)

export type Weights = Stored<typeof weights.fields>

/** A service instance without the node it runs on. Null where nothing was given, which is not the same as empty. */
export const serviceShape = shape({
  name: 'Service',
  answerName: 'NodeService',
  example: {
    given: { ID: 'web-1', Service: 'web', Tags: ['v1'], Port: 8080 },
    made: {
      Address: '',
      Meta: null,
      Weights: { Passing: 1, Warning: 1 },
      EnableTagOverride: false,
      Proxy: { Mode: '', MeshGateway: {}, Expose: {} },
      Connect: {},
      CreateIndex: 14,
      ModifyIndex: 14
    }
  },
  fields: {
    Kind: given(
      text,
      'Empty for ordinary services, connect-proxy, the kind of a gateway, or any other text',
      {
        shown: 'filled'
      }
    ),
    ID: given(
      text,
      'Unique on its node and in its namespace without regard to letter case; the name when not given'
    ),
    Service: given(text, 'Name that all instances of the service share'),
    ...tenancy,
    Tags: given(orNull(texts), 'Tags'),
    Address: given(text, 'Where it listens; the address of its node when empty'),
    TaggedAddresses: given(orNull(map(address)), 'Further addresses by name', { shown: 'filled' }),
    Meta: given(orNull(map(text)), 'At most 64 pairs, keys of at most 128 characters, values of at most 512'),
    Port: given(integer, 'Where it listens', { shown: 'filled' }),
    SocketPath: given(text, 'Where it listens', { shown: 'filled' }),
    Weights: given(nullTaken(weights), 'How often DNS answers with the instance'),
    EnableTagOverride: given(flag, 'Whether others may change its tags'),
    Proxy: given(nullTaken(proxy), 'What makes it a proxy'),
    Connect: given(nullTaken(connect), 'How it takes part in Connect'),
    Datacenter: ignored(text, 'Ignored'),
    ContentHash: ignored(text, 'Ignored'),
    ...unfilteredIndexes
  }
})

export type CatalogService = Stored<typeof serviceShape.fields>
/** An instance as a caller gives it. */
export type ServiceInput = StoredInput<typeof serviceShape.fields>

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
interface ServicePayload extends Omit<CatalogService, 'Service'> {
  readonly ServiceName: string
  readonly Namespace: string
  readonly NodeID: string
  readonly Datacenter: string
  /** Of the instance, or of its node when it has none of its own. */
  readonly Address: string
  readonly Node: string
  readonly ServiceAddress: string
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
type ServiceDeregistration = ServiceEventOf<'ServiceDeregistration'>
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

/** The payload of an instance on its node. Clients of the stream know its fields in this order. */
export const servicePayload = (state: ServiceState, node: HostingNode): ServicePayload => {
  const {
    ID,
    Service,
    Tags,
    Address,
    Port,
    CreateIndex,
    ModifyIndex,
    Kind,
    TaggedAddresses,
    SocketPath,
    ...rest
  } = state.service
  return {
    ID,
    ServiceName: Service,
    Namespace: state.namespace,
    NodeID: node.ID,
    Datacenter: node.Datacenter,
    Tags,
    Address: Address || node.Address,
    Port,
    CreateIndex,
    ModifyIndex,
    Node: node.Node,
    Kind,
    ServiceAddress: Address,
    TaggedAddresses,
    SocketPath,
    ...rest,
    Partition: state.partition,
    ...(state.agent ? { Agent: true } : {})
  }
}

const pickService = pickerOf(serviceShape)

/** The instance that an event tells of. */
export const serviceState = ({ Partition, Namespace, Payload: { Service } }: ServiceEvent): ServiceState => ({
  partition: Partition,
  namespace: Namespace,
  node: Service.Node,
  service: pickService({
    ...Service,
    Service: Service.ServiceName,
    Tags: Service.NotGiven?.includes('Tags') ? null : Service.Tags,
    Address: Service.ServiceAddress
  }),
  agent: Service.Agent === true
})
