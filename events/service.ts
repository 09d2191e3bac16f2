// Resource definition and events of service instances (spec: state.md §2, stream.md §15).
import { resourceEvents, type EventOf } from './envelope.js'
import { proxy } from './proxy.js'
import {
  tenancy,
  unfilteredIndexes,
  optionalWritable,
  writable,
  ignoredField,
  defineResource,
  booleanType,
  jsonObjectType,
  integerType,
  mapType,
  nullAcceptedType,
  objectType,
  nullableType,
  textType,
  textListType
} from './definition/fields.js'
import { pickerOf } from './definition/forms/forms.js'
import type { Stored, StoredInput } from './definition/types.js'

const address = objectType({
  Address: writable(textType, 'Address'),
  Port: writable(integerType, 'Port')
})
const weights = objectType(
  {
    Passing: writable(integerType, 'How often DNS answers with the instance while it is passing'),
    Warning: writable(integerType, 'How often DNS answers with it while it is warning')
  },
  'Weights'
)
const connect = objectType(
  {
    Native: optionalWritable(booleanType, 'Speaks Connect itself'),
    SidecarService: ignoredField(nullableType(jsonObjectType), 'Ignored: the agent registers sidecars')
  },
  'Connect'
)

export type Weights = Stored<typeof weights.fields>

/** A service instance without its node. Fields are null if omitted, which differs from empty. */
export const serviceDefinition = defineResource({
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
    Kind: writable(
      textType,
      'Empty for ordinary services, connect-proxy, the kind of a gateway, or any other text',
      {
        shown: 'filled'
      }
    ),
    ID: writable(
      textType,
      'Unique on its node and in its namespace without regard to letter case; the name when not given'
    ),
    Service: writable(textType, 'Name that all instances of the service share'),
    ...tenancy,
    Tags: writable(nullableType(textListType), 'Tags'),
    Address: writable(textType, 'Where it listens; the address of its node when empty'),
    TaggedAddresses: writable(nullableType(mapType(address)), 'Further addresses by name', {
      shown: 'filled'
    }),
    Meta: writable(
      nullableType(mapType(textType)),
      'At most 64 pairs, keys of at most 128 characters, values of at most 512'
    ),
    Port: writable(integerType, 'Where it listens', { shown: 'filled' }),
    SocketPath: writable(textType, 'Where it listens', { shown: 'filled' }),
    Weights: writable(nullAcceptedType(weights), 'How often DNS answers with the instance'),
    EnableTagOverride: writable(booleanType, 'Whether others may change its tags'),
    Proxy: writable(nullAcceptedType(proxy), 'What makes it a proxy'),
    Connect: writable(nullAcceptedType(connect), 'How it takes part in Connect'),
    Datacenter: ignoredField(textType, 'Ignored'),
    ContentHash: ignoredField(textType, 'Ignored'),
    ...unfilteredIndexes
  }
})

export type CatalogService = Stored<typeof serviceDefinition.fields>
export type ServiceInput = StoredInput<typeof serviceDefinition.fields>

export interface ServiceState {
  readonly partition: string
  readonly namespace: string
  readonly node: string
  readonly service: CatalogService
  /** True if registered through the agent endpoints. */
  readonly agent: boolean
}

type ServicePayload = Omit<CatalogService, 'Service'> & {
  readonly ServiceName: string
  readonly Namespace: string
  readonly NodeID: string
  readonly Datacenter: string
  /** Address of the instance, or of its node if empty. */
  readonly Address: string
  readonly Node: string
  readonly ServiceAddress: string
  readonly Partition: string
  readonly Agent?: true
  /** In events of earlier versions: null fields that were stored as empty. */
  readonly NotGiven?: readonly 'Tags'[]
}

export const SERVICE_TOPIC = 'Service'
export const serviceEvents = resourceEvents({
  topic: SERVICE_TOPIC,
  types: ['ServiceRegistration', 'ServiceDeregistration'],
  payloadOf: (service: ServicePayload) => ({ Service: service }),
  keyOf: ({ Service }) => Service.ID,
  filterKeysOf: ({ Service: { ServiceName, Node, NodeID } }) => [...new Set([ServiceName, Node, NodeID])]
})
export type ServiceEvent = EventOf<typeof serviceEvents>
export const isServiceEvent = serviceEvents.is

/** The node fields in events of an instance. */
export interface HostingNode {
  readonly ID: string
  readonly Node: string
  readonly Address: string
  readonly Datacenter: string
}

/** Keeps the field order that stream clients expect. */
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

const pickService = pickerOf(serviceDefinition)

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
