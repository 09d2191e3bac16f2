// Operations on nodes in a transaction (spec: state.md §3.6).
import type { NodeInput, NodeState } from '../../events/node.js'
import { nodeObject } from '../../projections/catalog/json.js'
import { checkNodeInput, ensureNode, removeNode } from '../catalog/node.js'
import { isUuid } from '../uuid.js'
import { catalogOperation } from './catalog.js'
import {
  failure,
  requireTransactionPermission,
  type Operation,
  type TransactionContext
} from './operation.js'

export interface NodeOperationInput {
  readonly verb: string
  readonly partition: string
  readonly input: NodeInput
  readonly index: bigint
}

/** Finds the node by its ID if set, otherwise by name. */
const find = (
  { partition, input }: NodeOperationInput,
  { models: { catalog } }: TransactionContext
): NodeState | undefined => {
  if (input.ID === '') return catalog.node(partition, input.Node)
  if (!isUuid(input.ID))
    throw failure(`node lookup by ID failed, wrong UUID: "${input.ID}" is no UUID`, 'invalid')
  const state = catalog.nodeById(input.ID)
  return state?.partition === partition ? state : undefined
}

export const nodeOperation = (operation: NodeOperationInput): Operation => {
  const { verb, partition, input, index } = operation
  const tenancy = { partition, namespace: 'default' }
  const requireWrite = (context: TransactionContext, name: string): void =>
    requireTransactionPermission(context, 'node', 'write', name, tenancy)
  return catalogOperation<NodeState>({
    kind: 'Node',
    verb,
    tenancy,
    index,
    title: `node "${input.Node}"`,
    check: context => {
      checkNodeInput(input)
      requireWrite(context, input.Node)
    },
    find: context => find(operation, context),
    stored: context => context.models.catalog.node(partition, input.Node),
    modifyIndex: state => state.node.ModifyIndex,
    put: context => {
      const renamed = input.ID === '' ? undefined : context.models.catalog.nodeById(input.ID)
      if (renamed) requireWrite(context, renamed.node.Node)
      return ensureNode(context.unit, partition, input)
    },
    remove: (context, state) => removeNode(context.unit, state),
    show: nodeObject,
    mayRead: ({ rights }, { node }) => rights.may('node', 'read', node.Node, tenancy)
  })
}
