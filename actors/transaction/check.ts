// Operations on health checks in a transaction (spec: state.md §3.8).
import type { CheckInput, CheckState } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import { judgedNames } from '../../projections/acl/authorizer.js'
import { checkObject } from '../../projections/catalog/json.js'
import { ensureCheck, removeCheck } from '../catalog/check.js'
import { catalogOperation } from './catalog.js'
import {
  failure,
  requireTransactionPermission,
  type Operation,
  type OperationFields,
  type TransactionContext
} from './operation.js'

export interface CheckOperationInput extends OperationFields {
  readonly input: CheckInput
  /** As written; the ID of the input defaults to the name. */
  readonly id: string
}

/** Write permission on the check's service, or else on its node. */
const writePermission = (
  check: Omit<CheckInput, 'Definition'>,
  tenancy: Tenancy
): readonly ['node' | 'service', 'write', string, Tenancy] =>
  check.ServiceID === ''
    ? ['node', 'write', check.Node, { ...tenancy, namespace: 'default' }]
    : ['service', 'write', check.ServiceName, tenancy]

const requireWrite = (
  context: TransactionContext,
  check: Omit<CheckInput, 'Definition'>,
  tenancy: Tenancy
): void => {
  const [resource, access, name, home] = writePermission(check, tenancy)
  const node = resource === 'node' ? context.models.catalog.node(home.partition, name) : undefined
  for (const one of judgedNames(name, node?.node.Node))
    requireTransactionPermission(context, resource, access, one, home)
}

/** Looks in the namespace of the service, or among the checks of the node. */
const stored = (
  { tenancy, input }: CheckOperationInput,
  { models: { catalog } }: TransactionContext,
  id: string
): CheckState | undefined => {
  const ofNode = { ...tenancy, namespace: 'default' }
  return (
    (input.ServiceID === '' ? undefined : catalog.check(tenancy, input.Node, id)) ??
    catalog.check(ofNode, input.Node, id) ??
    catalog.check(tenancy, input.Node, id)
  )
}

const find = (operation: CheckOperationInput, context: TransactionContext): CheckState | undefined => {
  const { input, id } = operation
  if (input.Node === '' || id === '')
    throw failure('failed check lookup: Node and CheckID must both be given', 'invalid')
  return stored(operation, context, id)
}

export const checkOperation = (operation: CheckOperationInput): Operation => {
  const { verb, tenancy, input, id, index } = operation
  return catalogOperation<CheckState>({
    kind: 'Check',
    verb,
    tenancy,
    index,
    title: `check "${verb === 'get' ? id : input.CheckID}" on node "${input.Node}"`,
    check: context => {
      requireWrite(context, input, tenancy)
      if (input.CheckID === '') throw failure('check lookup failed: CheckID or Name must be given', 'invalid')
    },
    find: context => find(operation, context),
    stored: context => stored(operation, context, input.CheckID),
    modifyIndex: state => state.check.ModifyIndex,
    put: (context, before) => {
      if (before) requireWrite(context, before.check, before)
      const { catalog } = context.models
      const service = catalog.service(tenancy, input.Node, input.ServiceID)
      const isOrphan = !catalog.node(tenancy.partition, input.Node) || (input.ServiceID !== '' && !service)
      // As measured, a set without its node or service fails, and a cas succeeds without a change.
      if (verb === 'cas' && isOrphan) return before
      if (service) requireTransactionPermission(context, 'service', 'write', service.service.Service, tenancy)
      return ensureCheck(context.unit, tenancy, input, before?.runner)
    },
    remove: (context, state) => {
      requireWrite(context, state.check, state)
      removeCheck(context.unit, state)
    },
    show: (state, { rights }) =>
      checkObject(state, { noTags: null, showsSecrets: rights.may(...writePermission(state.check, state)) }),
    mayRead: ({ rights }, { check, partition, namespace }) =>
      check.ServiceName === ''
        ? rights.may('node', 'read', check.Node, { partition, namespace: 'default' })
        : rights.may('service', 'read', check.ServiceName, { partition, namespace })
  })
}
