// Nodes of the catalog (spec: state.md §3.6).
import { CRITICAL, NODE_MAINTENANCE, SERF_HEALTH } from '../../events/check.js'
import {
  isNodeEvent,
  NODE_TOPIC,
  type NodeEvent,
  type NodeInput,
  nodeDefinition,
  type NodeState,
  type NodeStatus
} from '../../events/node.js'
import { formatTime } from '../../events/time.js'
import type { CatalogReader } from '../../projections/catalog/reader.js'
import { sameContentOf } from '../content.js'
import { lifecycleOf } from '../lifecycle.js'
import { isUuid } from '../uuid.js'
import { Refusal } from '../refusal.js'
import { checkEvent, nodeEvent, serviceEvent, type CatalogChanges } from './catalog-changes.js'

/** A snapshot holds the last event of a node. */
const registration = {
  NodeRegistration: 'registered',
  NodeEvent: 'registered',
  NodeEligibility: 'registered'
}

/** The name identifies a node; its key may change. */
export const nodeLifecycle = lifecycleOf<NodeEvent>({
  topic: NODE_TOPIC,
  states: { absent: registration, registered: { ...registration, NodeDeregistration: 'absent' } },
  stateOf: ({ catalog }, { partition, key }) => (catalog.node(partition, key) ? 'registered' : 'absent'),
  keyOf: event => (isNodeEvent(event) ? event.Payload.Node.Name.toLowerCase() : event.Key),
  // Other events of an existing node do not set its address and other fields.
  restoredBy: (_views, archived) => ({ ...archived, Type: 'NodeRegistration' })
})

/** @throws Refusal `invalid` */
export const checkNodeInput = ({ Node, ID }: Pick<NodeInput, 'Node' | 'ID'>): void => {
  if (Node === '') throw new Refusal('catalog.invalid', 'Must provide node: field "Node" is empty', 'invalid')
  if (ID !== '' && !isUuid(ID))
    throw new Refusal('catalog.invalid', `Bad node ID: field "ID" is no UUID: "${ID}"`, 'invalid')
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const sameContent = sameContentOf(nodeDefinition)

export const changesNode = ({ node }: NodeState, input: NodeInput): boolean => !sameContent(node, input)

/** A healthy node keeps its name. */
const refuseReserved = (
  unit: CatalogChanges,
  partition: string,
  input: NodeInput,
  isRename: boolean
): void => {
  const holder = unit.catalog.node(partition, input.Node)
  if (!holder || holder.node.ID.toLowerCase() === input.ID.toLowerCase()) return
  const { node } = holder
  const health = unit.catalog.check({ partition, namespace: 'default' }, node.Node, SERF_HEALTH)
  if (!health || health.check.Status === CRITICAL) return
  // A healthy node without an ID may receive one.
  if (node.ID === '' && !isRename) return
  throw new Refusal(
    'catalog.node-name-taken',
    `Error while renaming Node ID: "${input.ID}": Node name ${input.Node} is reserved by node ${node.ID} with name ${node.Node} (${node.Address})`,
    'exists'
  )
}

/**
 * Replaces a node. A known ID with another name renames the node, and deletes everything under the old name.
 * @returns the node as stored
 * @throws Refusal `invalid` when another node has reserved the name
 */
export const ensureNode = (unit: CatalogChanges, partition: string, registered: NodeInput): NodeState => {
  const { catalog, index, at } = unit
  const input = { ...registered, Datacenter: registered.Datacenter || unit.datacenter }
  const byId = input.ID === '' ? undefined : catalog.nodeById(input.ID)
  if (byId && byId.partition !== partition)
    throw new Refusal(
      'catalog.node-id-taken',
      `Node ID "${input.ID}" is in use in another partition`,
      'exists'
    )
  let before = byId ?? catalog.node(partition, input.Node)
  if (byId && !sameName(byId.node.Node, input.Node)) {
    refuseReserved(unit, partition, input, true)
    removeNode(unit, byId)
    before = { ...byId, status: 'initializing', eligible: true }
  } else if (!byId && input.ID !== '') refuseReserved(unit, partition, input, false)
  const isThere = before !== undefined && catalog.node(partition, input.Node) === before
  if (before && isThere && !changesNode(before, input)) return before
  const state: NodeState = {
    partition,
    node: { ...input, CreateIndex: before?.node.CreateIndex ?? index, ModifyIndex: index },
    registeredAt: before?.registeredAt ?? formatTime(at),
    status: before?.status ?? 'initializing',
    statusUpdatedAt: before?.statusUpdatedAt ?? Math.floor(at / 1000),
    eligible: before?.eligible ?? true
  }
  unit.emit(nodeEvent('NodeRegistration', state))
  return state
}

/** Deletes a node after its checks, services and sessions (spec: stream.md §15, compound operations). */
export const removeNode = (unit: CatalogChanges, state: NodeState): void => {
  const { partition } = state
  const name = state.node.Node
  unit.emitRemovals(partition, name, [
    ...unit.catalog.checksOn(partition, name).map(check => checkEvent('CheckDeregistration', check)),
    ...unit.catalog
      .servicesOn(partition, name)
      .map(service => serviceEvent('ServiceDeregistration', service, state))
  ])
  unit.endSessionsOfNode(partition, name)
  unit.endCoordinates(partition, name)
  unit.emit(nodeEvent('NodeDeregistration', state))
}

// The health of a node: status and maintenance, by its own checks.

const healthOf = (catalog: CatalogReader, { partition, node }: NodeState) => {
  const { all, critical } = catalog.ownChecks(partition, node.Node)
  const status: NodeStatus = all === 0 ? 'initializing' : critical > 0 ? 'down' : 'ready'
  const stored = catalog.check({ partition, namespace: 'default' }, node.Node, NODE_MAINTENANCE)?.check
  const isInMaintenance = stored?.ServiceID === '' && stored.CheckID === NODE_MAINTENANCE
  return { status, eligible: !isInMaintenance }
}

/** Emits the changes of a node's health after a change of its own checks. */
export const followHealth = (unit: CatalogChanges, partition: string, name: string): void => {
  const before = unit.catalog.node(partition, name)
  if (!before) return
  const { status, eligible } = healthOf(unit.catalog, before)
  let state = before
  if (status !== before.status) {
    state = { ...state, status, statusUpdatedAt: Math.floor(unit.at / 1000) }
    unit.emit(nodeEvent('NodeEvent', state))
  }
  if (eligible !== before.eligible) unit.emit(nodeEvent('NodeEligibility', { ...state, eligible }))
}
