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

/** A node as events carry it: the fields of the stream's Node, then those of the catalog that these lack. */
export interface NodePayload {
  readonly ID: string
  readonly Datacenter: string
  readonly Name: string
  readonly HTTPAddr: string
  readonly TLSEnabled: false
  readonly Attributes: Texts
  readonly NodeResources: null
  readonly ReservedResources: null
  readonly Resources: null
  readonly Reserved: null
  readonly Links: null
  readonly Meta: Texts
  readonly NodeClass: ''
  readonly ComputedClass: ''
  readonly Drain: false
  readonly DrainStrategy: null
  readonly SchedulingEligibility: 'eligible' | 'ineligible'
  readonly Status: NodeStatus
  readonly StatusDescription: ''
  readonly StatusUpdatedAt: number
  readonly Events: readonly {
    readonly Message: string
    readonly Subsystem: string
    readonly Details: null
    readonly Timestamp: string
    readonly CreateIndex: number
  }[]
  readonly Drivers: Readonly<Record<string, never>>
  readonly CSIControllerPlugins: null
  readonly CSINodePlugins: null
  readonly HostVolumes: null
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Address: string
  readonly TaggedAddresses: Texts | null
  readonly Partition: string
  /** Fields that were not given, where the payload shows an empty value that could also have been given. */
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
    SchedulingEligibility: state.eligible ? 'eligible' : 'ineligible',
    Status: state.status,
    StatusDescription: '',
    StatusUpdatedAt: state.statusUpdatedAt,
    Events: [
      {
        Message: 'Node registered',
        Subsystem: 'Cluster',
        Details: null,
        Timestamp: state.registeredAt,
        CreateIndex: node.CreateIndex
      }
    ],
    Drivers: {},
    CSIControllerPlugins: null,
    CSINodePlugins: null,
    HostVolumes: null,
    CreateIndex: node.CreateIndex,
    ModifyIndex: node.ModifyIndex,
    Address: node.Address,
    TaggedAddresses: node.TaggedAddresses,
    Partition: state.partition,
    ...(node.Meta === null ? { NotGiven: ['Meta'] } : {})
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
  registeredAt: Node.Events[0]?.Timestamp ?? '',
  status: Node.Status,
  statusUpdatedAt: Node.StatusUpdatedAt,
  eligible: Node.SchedulingEligibility === 'eligible'
})
