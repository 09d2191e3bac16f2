// Nodes of the catalog: what a node is, and the events of its life (spec: state.md §2, stream.md §15).
import type { Event } from './envelope.js'

export type Texts = Readonly<Record<string, string>>

/** A node as catalog reads show it. */
export interface CatalogNode {
  /** A UUID, or '' for none. */
  readonly ID: string
  /** Its name, unique in a partition without regard to letter case. */
  readonly Node: string
  readonly Address: string
  readonly Datacenter: string
  /** Null when none were given, which is not the same as an empty map. */
  readonly TaggedAddresses: Texts | null
  readonly Meta: Texts | null
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

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
export interface NodePayload {
  readonly ID: string
  readonly Name: string
  readonly Datacenter: string
  readonly Address: string
  readonly TaggedAddresses: Texts | null
  readonly Meta: Texts | null
  /** Absent in events of before, which have `Events` in its place. */
  readonly RegisteredAt?: string
  readonly Status: NodeStatus
  readonly StatusUpdatedAt: number
  readonly SchedulingEligibility: 'eligible' | 'ineligible'
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Partition: string
  /** Only in events of before: the registration. */
  readonly Events?: readonly { readonly Timestamp: string }[]
  /** Only in events of before: fields that are null, and were written as empty. */
  readonly NotGiven?: readonly 'Meta'[]
}

export const NODE_TOPIC = 'Node'
type NodeEventOf<Type extends string> = Event<typeof NODE_TOPIC, Type, { readonly Node: NodePayload }>
/** The node is new or its data changed. */
export type NodeRegistration = NodeEventOf<'NodeRegistration'>
export type NodeDeregistration = NodeEventOf<'NodeDeregistration'>
/** Its `Status` changed. */
export type NodeStatusEvent = NodeEventOf<'NodeEvent'>
/** Its maintenance mode was turned on or off. */
export type NodeEligibility = NodeEventOf<'NodeEligibility'>
export type NodeEvent = NodeRegistration | NodeDeregistration | NodeStatusEvent | NodeEligibility

/** Tells a node's events from others; what the log holds under this topic was written by us. */
export const isNodeEvent = (event: Event): event is NodeEvent => event.Topic === NODE_TOPIC

/** The payload of a node. */
export const nodePayload = (state: NodeState): NodePayload => {
  const { node } = state
  return {
    ID: node.ID,
    Name: node.Node,
    Datacenter: node.Datacenter,
    Address: node.Address,
    TaggedAddresses: node.TaggedAddresses,
    Meta: node.Meta,
    RegisteredAt: state.registeredAt,
    Status: state.status,
    StatusUpdatedAt: state.statusUpdatedAt,
    SchedulingEligibility: state.eligible ? 'eligible' : 'ineligible',
    CreateIndex: node.CreateIndex,
    ModifyIndex: node.ModifyIndex,
    Partition: state.partition
  }
}

/** The node that an event tells of. */
export const nodeState = ({ Partition, Payload: { Node } }: NodeEvent): NodeState => ({
  partition: Partition,
  node: {
    ID: Node.ID,
    Node: Node.Name,
    Address: Node.Address,
    Datacenter: Node.Datacenter,
    TaggedAddresses: Node.TaggedAddresses,
    Meta: Node.NotGiven?.includes('Meta') ? null : Node.Meta,
    CreateIndex: Node.CreateIndex,
    ModifyIndex: Node.ModifyIndex
  },
  registeredAt: Node.RegisteredAt ?? Node.Events?.[0]?.Timestamp ?? '',
  status: Node.Status,
  statusUpdatedAt: Node.StatusUpdatedAt,
  eligible: Node.SchedulingEligibility === 'eligible'
})
