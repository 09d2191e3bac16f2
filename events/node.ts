// Nodes of the catalog: what a node is, and the events of its life (spec: state.md §2, stream.md §15).
import type { Event } from './envelope.js'
import { tenancy, unfilteredIndexes } from './definition/common.js'
import { writable, defineResource } from './definition/fields.js'
import { mapType, nullableType, textType } from './definition/value-types.js'
import { pickerOf, storedInputOf } from './definition/stored-input.js'
import type { Stored, StoredInput } from './definition/types.js'

/** A node as catalog reads show it. Null where nothing was given, which is not the same as empty. */
export const nodeDefinition = defineResource({
  name: 'Node',
  example: {
    given: {
      ID: '40e4a748-2192-161a-0510-9bf59fe950b5',
      Node: 'node-1',
      Address: '10.0.0.1',
      Datacenter: 'dc1',
      TaggedAddresses: { lan: '10.0.0.1' },
      Meta: { rack: 'r1' }
    },
    made: { CreateIndex: 14, ModifyIndex: 14 }
  },
  fields: {
    ID: writable(textType, 'UUID of the node; may be empty'),
    Node: writable(textType, 'Name of the node, unique in its partition without regard to letter case'),
    Address: writable(textType, 'Address of the node: an IP address or a name'),
    Datacenter: writable(textType, 'Datacenter of the node; that of the server when not given'),
    TaggedAddresses: writable(nullableType(mapType(textType)), 'Further addresses of the node by name'),
    Meta: writable(nullableType(mapType(textType)), 'Metadata of the node'),
    Partition: tenancy.Partition,
    ...unfilteredIndexes
  }
})

export type CatalogNode = Stored<typeof nodeDefinition.fields>
/** A node as a caller gives it; an empty Datacenter stands for that of the server. */
export type NodeInput = StoredInput<typeof nodeDefinition.fields>
/** What is stored of what is said of a node. */
export const nodeInput = storedInputOf(nodeDefinition.fields)

/** What the checks of a node itself say: none yet, none critical, one critical. */
export type NodeStatus = 'initializing' | 'ready' | 'down'

/** Everything that is known of a node. The last four change without moving its indexes. */
export interface NodeState {
  readonly partition: string
  readonly node: CatalogNode
  /** RFC 3339 of its registration. */
  readonly registeredAt: string
  readonly status: NodeStatus
  /** Unix seconds of the last change of `status`. */
  readonly statusUpdatedAt: number
  /** False in node maintenance. */
  readonly eligible: boolean
}

/** A node as events carry it. */
interface NodePayload extends Omit<CatalogNode, 'Node'> {
  readonly Name: string
  /** Absent in events of before, which have `Events` in its place. */
  readonly RegisteredAt?: string
  readonly Status: NodeStatus
  readonly StatusUpdatedAt: number
  readonly SchedulingEligibility: 'eligible' | 'ineligible'
  readonly Partition: string
  /** Only in events of before: the registration. */
  readonly Events?: readonly { readonly Timestamp: string }[]
  /** Only in events of before: fields that are null, and were written as empty. */
  readonly NotGiven?: readonly 'Meta'[]
}

export const NODE_TOPIC = 'Node'
type NodeEventOf<Type extends string> = Event<typeof NODE_TOPIC, Type, { readonly Node: NodePayload }>
/** The node is new or its data changed. */
type NodeRegistration = NodeEventOf<'NodeRegistration'>
type NodeDeregistration = NodeEventOf<'NodeDeregistration'>
/** Its `Status` changed. */
type NodeStatusEvent = NodeEventOf<'NodeEvent'>
/** Its maintenance mode was turned on or off. */
type NodeEligibility = NodeEventOf<'NodeEligibility'>
export type NodeEvent = NodeRegistration | NodeDeregistration | NodeStatusEvent | NodeEligibility

/** Tells a node's events from others; what the log holds under this topic was written by us. */
export const isNodeEvent = (event: Event): event is NodeEvent => event.Topic === NODE_TOPIC

/** The payload of a node. Clients of the stream know its fields in this order. */
export const nodePayload = (state: NodeState): NodePayload => {
  const { ID, Node, Datacenter, Address, CreateIndex, ModifyIndex, ...rest } = state.node
  return {
    ID,
    Name: Node,
    Datacenter,
    Address,
    ...rest,
    RegisteredAt: state.registeredAt,
    Status: state.status,
    StatusUpdatedAt: state.statusUpdatedAt,
    SchedulingEligibility: state.eligible ? 'eligible' : 'ineligible',
    CreateIndex,
    ModifyIndex,
    Partition: state.partition
  }
}

const pickNode = pickerOf(nodeDefinition)

/** The node that an event tells of. */
export const nodeState = ({ Partition, Payload: { Node } }: NodeEvent): NodeState => ({
  partition: Partition,
  node: pickNode({
    ...Node,
    Node: Node.Name,
    Meta: Node.NotGiven?.includes('Meta') ? null : Node.Meta
  }),
  registeredAt: Node.RegisteredAt ?? Node.Events?.[0]?.Timestamp ?? '',
  status: Node.Status,
  statusUpdatedAt: Node.StatusUpdatedAt,
  eligible: Node.SchedulingEligibility === 'eligible'
})
