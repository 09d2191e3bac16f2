// Registers nodes: what a name and an ID may be taken for (spec: state.md §3.6).
import { formatTime } from '../../events/time.js'
import { CRITICAL, SERF_HEALTH } from '../../events/check.js'
import type { CatalogNode, NodeState } from '../../events/node.js'
import type { CatalogStage } from '../catalog/stage.js'
import { Refusal } from '../refusal.js'
import { isUuid } from '../uuid.js'
import { nodeEvent } from './events.js'
import { removeNode } from './remove.js'

/** A node as a caller gives it; an empty Datacenter stands for the own one. */
export type NodeDraft = Omit<CatalogNode, 'CreateIndex' | 'ModifyIndex'>

/** @throws Refusal `invalid` */
export const checkNodeDraft = ({ Node, ID }: Pick<NodeDraft, 'Node' | 'ID'>): void => {
  if (Node === '') throw new Refusal('invalid', 'Must provide node: field "Node" is empty', 'invalid')
  if (ID !== '' && !isUuid(ID))
    throw new Refusal('invalid', `Bad node ID: field "ID" is no UUID: "${ID}"`, 'invalid')
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Sets of texts are equal when they have the same pairs in the same order: bodies bring them sorted. */
const sameContent = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Whether a registration with this draft would change the node. */
export const changesNode = ({ node }: NodeState, draft: NodeDraft): boolean =>
  node.ID !== draft.ID ||
  node.Node !== draft.Node ||
  node.Address !== draft.Address ||
  node.Datacenter !== draft.Datacenter ||
  !sameContent(node.TaggedAddresses, draft.TaggedAddresses) ||
  !sameContent(node.Meta, draft.Meta)

/** A name is kept for the node that has it as long as that one is healthy. */
const refuseReserved = (
  stage: CatalogStage,
  partition: string,
  draft: NodeDraft,
  isRename: boolean
): void => {
  const holder = stage.catalog.node(partition, draft.Node)
  if (!holder || holder.node.ID.toLowerCase() === draft.ID.toLowerCase()) return
  const { node } = holder
  const health = stage.catalog.check({ partition, namespace: 'default' }, node.Node, SERF_HEALTH)
  if (!health || health.check.Status === CRITICAL) return
  // A healthy node without an ID may be given one that is new.
  if (node.ID === '' && !isRename) return
  throw new Refusal(
    'invalid',
    `Error while renaming Node ID: "${draft.ID}": Node name ${draft.Node} is reserved by node ${node.ID} with name ${node.Node} (${node.Address})`,
    'exists'
  )
}

/**
 * Stores a node as a whole. An ID that is known under another name renames: what was under the old name goes.
 * @returns the node as stored
 * @throws Refusal `invalid` when the name is reserved by another node
 */
export const ensureNode = (stage: CatalogStage, partition: string, given: NodeDraft): NodeState => {
  const { catalog, index, at } = stage
  const draft = { ...given, Datacenter: given.Datacenter || stage.datacenter }
  const byId = draft.ID === '' ? undefined : catalog.nodeById(draft.ID)
  if (byId && byId.partition !== partition)
    throw new Refusal('invalid', `Node ID "${draft.ID}" is in use in another partition`, 'exists')
  let before = byId ?? catalog.node(partition, draft.Node)
  if (byId && !sameName(byId.node.Node, draft.Node)) {
    refuseReserved(stage, partition, draft, true)
    removeNode(stage, byId)
    before = { ...byId, status: 'initializing', eligible: true }
  } else if (!byId && draft.ID !== '') refuseReserved(stage, partition, draft, false)
  const isThere = before !== undefined && catalog.node(partition, draft.Node) === before
  if (before && isThere && !changesNode(before, draft)) return before
  const state: NodeState = {
    partition,
    node: { ...draft, CreateIndex: before?.node.CreateIndex ?? index, ModifyIndex: index },
    registeredAt: before?.registeredAt ?? formatTime(at),
    status: before?.status ?? 'initializing',
    statusUpdatedAt: before?.statusUpdatedAt ?? Math.floor(at / 1000),
    eligible: before?.eligible ?? true
  }
  stage.emit(nodeEvent('NodeRegistration', state))
  return state
}
