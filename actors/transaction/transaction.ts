// Transactions, which change resources of many aggregates: they have a decision and no lifecycle.
import { isConfigEntryEvent } from '../../events/config-entry.js'
import type { Event } from '../../events/envelope.js'
import { faultsOf } from '../../projections/config/checks.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Command, PreparedRemoval } from '../aggregate.js'
import { CatalogChanges } from '../catalog/catalog-changes.js'
import { Refusal } from '../refusal.js'
import { explainNotWritable } from '../tenancy.js'
import { checkOperation, type CheckOperationInput } from './check.js'
import { configEntryOperation, type ConfigEntryOperationInput } from './config-entry.js'
import { KvOperation, type KvOperationInput } from './kv.js'
import {
  type Operation,
  type OperationFields,
  type Result,
  type TransactionPermissions,
  type TransactionContext,
  requireTransactionPermission,
  failure
} from './operation.js'
import type { ServiceInput, ServiceState } from '../../events/service.js'
import { serviceObject, nodeObject } from '../../projections/catalog/json.js'
import { checkServiceInput, ensureService, removeService } from '../catalog/service.js'
import { catalogOperation } from './catalog.js'
import type { NodeInput, NodeState } from '../../events/node.js'
import { checkNodeInput, ensureNode, removeNode } from '../catalog/node.js'
import { isUuid } from '../uuid.js'

interface NodeOperationInput {
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

const nodeOperation = (operation: NodeOperationInput): Operation => {
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
    put: (context, before) => {
      if (before) requireWrite(context, before.node.Node)
      const renamed = input.ID === '' ? undefined : context.models.catalog.nodeById(input.ID)
      if (renamed) requireWrite(context, renamed.node.Node)
      return ensureNode(context.unit, partition, input)
    },
    remove: (context, state) => {
      requireWrite(context, state.node.Node)
      removeNode(context.unit, state)
    },
    show: nodeObject,
    mayRead: ({ rights }, { node }) => rights.may('node', 'read', node.Node, tenancy)
  })
}

/** Operations on service instances in a transaction (spec: state.md §3.7). */
interface ServiceOperationInput extends OperationFields {
  readonly node: string
  readonly input: ServiceInput
  /** As written; the ID of the input defaults to the name. */
  readonly id: string
}

/** Fields of gateways, proxies and Connect are validated, but not stored (state.md §3.7). */
const storedPart = (input: ServiceInput): ServiceInput => ({
  ...input,
  Kind: '',
  TaggedAddresses: null,
  SocketPath: '',
  Proxy: { Mode: '', MeshGateway: {}, Expose: {} },
  Connect: {}
})

const serviceOperation = ({ verb, tenancy, node, input, id, index }: ServiceOperationInput): Operation => {
  const requireWrite = (context: TransactionContext, name: string): void =>
    requireTransactionPermission(context, 'service', 'write', name, tenancy)
  return catalogOperation<ServiceState>({
    kind: 'Service',
    verb,
    tenancy,
    index,
    title: `service "${verb === 'get' ? id : input.ID}" on node "${node}"`,
    check: context => {
      checkServiceInput(input)
      requireWrite(context, input.Service)
      const destination = input.Kind === 'connect-proxy' ? input.Proxy.DestinationServiceName : undefined
      if (destination !== undefined) requireWrite(context, destination)
    },
    find: context => context.models.catalog.service(tenancy, node, id),
    stored: context => context.models.catalog.service(tenancy, node, input.ID),
    modifyIndex: state => state.service.ModifyIndex,
    put: (context, before) => {
      if (before) requireWrite(context, before.service.Service)
      return ensureService(context.unit, tenancy, node, storedPart(input))
    },
    remove: (context, state) => {
      requireWrite(context, state.service.Service)
      removeService(context.unit, state)
    },
    show: state => serviceObject(state, null),
    mayRead: ({ rights }, { service }) => rights.may('service', 'read', service.Service, tenancy)
  })
}

/** A new kind adds a member here and a case below. */
export type OperationInput =
  | { readonly kind: 'KV'; readonly input: KvOperationInput }
  | { readonly kind: 'Node'; readonly input: NodeOperationInput }
  | { readonly kind: 'Service'; readonly input: ServiceOperationInput }
  | { readonly kind: 'Check'; readonly input: CheckOperationInput }
  | { readonly kind: 'ConfigEntry'; readonly input: ConfigEntryOperationInput }

export const operationOf = (one: OperationInput): Operation => {
  switch (one.kind) {
    case 'KV':
      return new KvOperation(one.input)
    case 'Node':
      return nodeOperation(one.input)
    case 'Service':
      return serviceOperation(one.input)
    case 'Check':
      return checkOperation(one.input)
    case 'ConfigEntry':
      return configEntryOperation(one.input)
  }
}

export type ApplyTransaction = Command<
  'ApplyTransaction',
  { readonly operations: readonly Operation[]; readonly rights: TransactionPermissions }
>

// Decisions: the operations run on an overlay, whose events are committed only if all succeed (state.md §3.3)

interface OperationError {
  readonly OpIndex: number
  readonly What: string
  readonly Code: string
}

/** At least one operation failed, so the transaction has no effect. */
export class TransactionRefused extends Refusal {
  constructor(readonly errors: readonly OperationError[]) {
    super('txn.conflict', `The transaction was rolled back: ${errors.map(({ What }) => What).join('; ')}`)
  }
}

export interface TransactionOutcome {
  readonly events: readonly Event[]
  readonly removals: readonly PreparedRemoval[]
  /** The results of each operation, which may be read once, also after the commit. */
  readonly results: readonly Iterable<Result>[]
}

/** Calls a function for each operation and collects failures. @throws TransactionRefused */
const forEachOperation = (
  operations: readonly Operation[],
  attempt: (operation: Operation, OpIndex: number) => void
): void => {
  const errors: OperationError[] = []
  operations.forEach((operation, OpIndex) => {
    try {
      attempt(operation, OpIndex)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      errors.push({ OpIndex, What: error.message, Code: error.operationCode ?? 'invalid' })
    }
  })
  if (errors.length > 0) throw new TransactionRefused(errors)
}

/** Validates all changed entries together; a fault counts for the last operation on entries. */
const checkEntries = ({ models, entryChanges, unit }: TransactionContext, OpIndex: number): void => {
  if (!entryChanges) return
  const faults = faultsOf(models.config, [...entryChanges.values()], unit.datacenter)
  if (faults.length > 0)
    throw new TransactionRefused(faults.map(What => ({ OpIndex, What, Code: 'invalid' })))
}

/**
 * Checks all operations before it applies any, then applies them in order, each on the effects of the earlier
 * ones. Cost: that of the operations, independent of the size of the state.
 * @param index that the commit will have
 * @throws TransactionRefused with every failure
 */
export const decideTransaction = (
  { data, at }: ApplyTransaction,
  views: Views,
  index: number
): TransactionOutcome => {
  const { operations } = data
  const unit = new CatalogChanges(views, index, at)
  const context: TransactionContext = {
    models: unit.models,
    unit,
    rights: data.rights,
    namespaces: views.namespaces,
    partitions: views.partitions,
    readTrees: { keys: 0, bytes: 0 }
  }
  forEachOperation(operations, operation => {
    const { scope = 'namespace', effect } = operation
    const refusal = operation.isWrite
      ? explainNotWritable(operation.tenancy, scope, effect, views)
      : undefined
    if (refusal) throw refusal
    operation.check(context)
  })
  const results: Iterable<Result>[] = []
  let lastOfEntries = 0
  forEachOperation(operations, (operation, OpIndex) => {
    const before = unit.events.length
    results.push(operation.apply(context))
    const newest = unit.events[unit.events.length - 1]
    if (newest && unit.events.length > before && isConfigEntryEvent(newest)) lastOfEntries = OpIndex
  })
  checkEntries(context, lastOfEntries)
  return { events: unit.events, removals: unit.removals, results }
}

export const transactionAggregate: Aggregate<ApplyTransaction, TransactionOutcome> = {
  // Each operation has a tenancy of its own and is checked with it.
  scope: 'cluster',
  decide: decideTransaction
}
