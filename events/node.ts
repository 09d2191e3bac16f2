// Resource definition and events of nodes (spec: state.md §2, stream.md §15).
import {
  tenancy,
  unfilteredIndexes,
  defineResource,
  writable,
  mapType,
  nullableType,
  textType
} from './definition/fields.js'
import { pickerOf, storedInputOf } from './definition/forms/forms.js'
import type { Stored, StoredInput } from './definition/types.js'
import { resourceEvents, type EventOf } from './envelope.js'

/** Fields are null if omitted, which differs from empty. */
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
/** An empty Datacenter means the server's datacenter. */
export type NodeInput = StoredInput<typeof nodeDefinition.fields>
export const nodeInput = storedInputOf(nodeDefinition.fields)

/** Derived from the checks of the node: none registered, none critical, some critical. */
export type NodeStatus = 'initializing' | 'ready' | 'down'

/** The last four fields change without a new ModifyIndex. */
export interface NodeState {
  readonly partition: string
  readonly node: CatalogNode
  /** RFC 3339. */
  readonly registeredAt: string
  readonly status: NodeStatus
  /** Unix seconds of the last change of `status`. */
  readonly statusUpdatedAt: number
  /** False in maintenance mode. */
  readonly eligible: boolean
}

type NodePayload = Omit<CatalogNode, 'Node'> & {
  readonly Name: string
  /** Absent in events of earlier versions, which have `Events` instead. */
  readonly RegisteredAt?: string
  readonly Status: NodeStatus
  readonly StatusUpdatedAt: number
  readonly SchedulingEligibility: 'eligible' | 'ineligible'
  readonly Partition: string
  /** Registration in events of earlier versions. */
  readonly Events?: readonly { readonly Timestamp: string }[]
  /** In events of earlier versions: null fields that were stored as empty. */
  readonly NotGiven?: readonly 'Meta'[]
}

export const NODE_TOPIC = 'Node'
/**
 * `NodeRegistration`: a new node or a change of its data. `NodeEvent`: a change of `Status`. `NodeEligibility`: a change of the maintenance
 * mode.
 */
export const nodeEvents = resourceEvents({
  topic: NODE_TOPIC,
  types: ['NodeRegistration', 'NodeDeregistration', 'NodeEvent', 'NodeEligibility'],
  payloadOf: (node: NodePayload) => ({ Node: node }),
  keyOf: ({ Node }) => Node.ID || Node.Name,
  filterKeysOf: ({ Node }) => [Node.Name]
})
export type NodeEvent = EventOf<typeof nodeEvents>
export const isNodeEvent = nodeEvents.is

/** Keeps the field order that stream clients expect. */
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

/** Coordinate in the Vivaldi model, in seconds. */
export interface Coord {
  /** Eight dimensions. */
  readonly Vec: readonly number[]
  readonly Error: number
  readonly Adjustment: number
  readonly Height: number
}

export interface Coordinate {
  readonly Node: string
  /** Network segment; empty for the default segment. */
  readonly Segment: string
  readonly Coord: Coord
}

export const COORDINATE_TOPIC = 'Coordinate'
export const coordinateEvents = resourceEvents({
  topic: COORDINATE_TOPIC,
  types: ['CoordinateUpdated', 'CoordinateDeleted'],
  payloadOf: (coordinate: Coordinate) => ({ Coordinate: coordinate }),
  keyOf: payload => `${payload.Coordinate.Node.toLowerCase()}/${payload.Coordinate.Segment}`
})
export type CoordinateEvent = EventOf<typeof coordinateEvents>
export const isCoordinateEvent = coordinateEvents.is
