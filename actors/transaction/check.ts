// Operations on health checks in a transaction (spec: state.md §3.8).
import type { CheckState } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import { checkObject } from '../../projections/catalog/json.js'
import { type CheckInput, ensureCheck, removeCheck } from '../catalog/check.js'
import { catalogAct } from './catalog.js'
import { failure, requireRight, type Act, type Scene } from './operation.js'

export interface CheckOperation {
  readonly verb: string
  /** Of the service that the check is of. */
  readonly tenancy: Tenancy
  readonly input: CheckInput
  /** As it was given; the input's is filled in from the name. */
  readonly id: string
  readonly index: bigint
}

/** Write on the service that a check is of, or else on its node. */
const requireWrite = (scene: Scene, check: Omit<CheckInput, 'Definition'>, tenancy: Tenancy): void => {
  if (check.ServiceID === '')
    requireRight(scene, 'node', 'write', check.Node, { ...tenancy, namespace: 'default' })
  else requireRight(scene, 'service', 'write', check.ServiceName, tenancy)
}

/** In the namespace of the service named, or among the checks of the node. */
const stored = (
  { tenancy, input }: CheckOperation,
  { models: { catalog } }: Scene,
  id: string
): CheckState | undefined => {
  const ofNode = { ...tenancy, namespace: 'default' }
  return (
    (input.ServiceID === '' ? undefined : catalog.check(tenancy, input.Node, id)) ??
    catalog.check(ofNode, input.Node, id) ??
    catalog.check(tenancy, input.Node, id)
  )
}

const find = (operation: CheckOperation, scene: Scene): CheckState | undefined => {
  const { input, id } = operation
  if (input.Node === '' || id === '')
    throw failure('failed check lookup: Node and CheckID must both be given', 'invalid')
  return stored(operation, scene, id)
}

export const checkAct = (operation: CheckOperation): Act => {
  const { verb, tenancy, input, id, index } = operation
  return catalogAct<CheckState>({
    kind: 'Check',
    verb,
    tenancy,
    index,
    title: `check "${verb === 'get' ? id : input.CheckID}" on node "${input.Node}"`,
    check: scene => {
      requireWrite(scene, input, tenancy)
      if (input.CheckID === '') throw failure('check lookup failed: CheckID or Name must be given', 'invalid')
    },
    find: scene => find(operation, scene),
    stored: scene => stored(operation, scene, input.CheckID),
    modifyIndex: state => state.check.ModifyIndex,
    put: (scene, before) => {
      if (before) requireWrite(scene, before.check, before)
      const { catalog } = scene.models
      const service = catalog.service(tenancy, input.Node, input.ServiceID)
      const isHomeless = !catalog.node(tenancy.partition, input.Node) || (input.ServiceID !== '' && !service)
      // Measured: a set without its node or service fails, a cas does nothing and succeeds with the check as it is.
      if (verb === 'cas' && isHomeless) return before
      if (service) requireRight(scene, 'service', 'write', service.service.Service, tenancy)
      return ensureCheck(scene.unit, tenancy, input, before?.runner)
    },
    remove: (scene, state) => {
      requireWrite(scene, state.check, state)
      removeCheck(scene.unit, state)
    },
    show: state => checkObject(state, null),
    mayRead: ({ rights }, { check, partition, namespace }) =>
      check.ServiceName === ''
        ? rights.may('node', 'read', check.Node, { partition, namespace: 'default' })
        : rights.may('service', 'read', check.ServiceName, { partition, namespace })
  })
}
