// What the checks of a node itself make of the node: its status, and whether it is in maintenance.
import { CRITICAL, NODE_MAINTENANCE } from '../../events/check.js'
import type { NodeState, NodeStatus } from '../../events/node.js'
import type { CatalogReader } from '../../projections/catalog/reader.js'
import type { CatalogStage } from '../catalog/stage.js'
import { nodeEvent } from './events.js'

const healthOf = (catalog: CatalogReader, { partition, node }: NodeState) => {
  const own = catalog.checksOn(partition, node.Node).filter(({ check }) => check.ServiceID === '')
  const isDown = own.some(({ check }) => check.Status === CRITICAL)
  const status: NodeStatus = own.length === 0 ? 'initializing' : isDown ? 'down' : 'ready'
  return { status, eligible: !own.some(({ check }) => check.CheckID === NODE_MAINTENANCE) }
}

/** Emits what a change of a check of the node itself has changed of the node. Cost: the checks on the node. */
export const followHealth = (stage: CatalogStage, partition: string, name: string): void => {
  const before = stage.catalog.node(partition, name)
  if (!before) return
  const { status, eligible } = healthOf(stage.catalog, before)
  let state = before
  if (status !== before.status) {
    state = { ...state, status, statusUpdatedAt: Math.floor(stage.at / 1000) }
    stage.emit(nodeEvent('NodeEvent', state))
  }
  if (eligible !== before.eligible) stage.emit(nodeEvent('NodeEligibility', { ...state, eligible }))
}
