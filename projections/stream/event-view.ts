// Events as the stream shows them. Stream clients expect nodes and services of another product: its fields are added with defaults, and internal
// fields are omitted (spec: stream.md §15). Flags of keys beyond 2^53-1, which are stored as texts, become bigints.
import type { Event } from '../../events/envelope.js'
import { isKvEvent, type KvEvent } from '../../events/kv.js'
import { isNodeEvent, nodeState, type NodeEvent } from '../../events/node.js'
import { isServiceEvent, type ServiceEvent } from '../../events/service.js'
import { isStoredEvent } from '../../events/stored.js'

const REGISTERED = { Message: 'Node registered', Subsystem: 'Cluster', Details: null }

const nodeShown = (event: NodeEvent): object => {
  const { partition, node, registeredAt, status, statusUpdatedAt, eligible } = nodeState(event)
  const tagged = Object.entries(node.TaggedAddresses ?? {})
  return {
    ID: node.ID,
    Datacenter: node.Datacenter,
    Name: node.Node,
    HTTPAddr: node.Address,
    TLSEnabled: false,
    Attributes: {
      'unique.network.ip-address': node.Address,
      ...Object.fromEntries(tagged.map(([name, address]) => [`tagged-address.${name}`, address]))
    },
    NodeResources: null,
    ReservedResources: null,
    Resources: null,
    Reserved: null,
    Links: null,
    Meta: node.Meta ?? {},
    NodeClass: '',
    ComputedClass: '',
    Drain: false,
    DrainStrategy: null,
    SchedulingEligibility: eligible ? 'eligible' : 'ineligible',
    Status: status,
    StatusDescription: '',
    StatusUpdatedAt: statusUpdatedAt,
    Events: [{ ...REGISTERED, Timestamp: registeredAt, CreateIndex: node.CreateIndex }],
    Drivers: {},
    CSIControllerPlugins: null,
    CSINodePlugins: null,
    HostVolumes: null,
    CreateIndex: node.CreateIndex,
    ModifyIndex: node.ModifyIndex,
    Address: node.Address,
    TaggedAddresses: node.TaggedAddresses,
    Partition: partition
  }
}

const serviceShown = ({ Payload: { Service } }: ServiceEvent): object => {
  const {
    ID,
    ServiceName,
    Namespace,
    NodeID,
    Datacenter,
    Tags,
    Agent: _,
    NotGiven: _former,
    ...rest
  } = Service
  const head = { ID, ServiceName, Namespace, NodeID, Datacenter }
  return { ...head, JobID: '', AllocID: '', Tags: Tags ?? [], ...rest }
}

const withPayload = (
  { Topic, Type, Key, Namespace, Partition, FilterKeys }: Event,
  Payload: object
): Event => ({ Topic, Type, Key, Namespace, Partition, FilterKeys, Payload })

/** Values may be large: the payload of a stored event is parsed only if its flags are a text. */
const hasTextFlags = (event: KvEvent): boolean =>
  isStoredEvent(event) ? event.payloadIncludes('"Flags":"') : typeof event.Payload.KV.Flags === 'string'

/** Returns the event itself if it is shown as stored. */
export const eventViewOf = (event: Event): Event => {
  if (event.Erased) return event
  if (isNodeEvent(event)) return withPayload(event, { Node: nodeShown(event) })
  if (isServiceEvent(event)) return withPayload(event, { Service: serviceShown(event) })
  if (isKvEvent(event) && hasTextFlags(event)) {
    const { KV } = event.Payload
    return withPayload(event, { KV: { ...KV, Flags: BigInt(KV.Flags) } })
  }
  return event
}
