// Operations on health checks in a transaction (spec: state.md §3.8).
import type { CheckState } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import { checkObject } from '../../projections/catalog/json.js'
import { type CheckDraft, ensureCheck, removeCheck } from '../catalog/check.js'
import { catalogAct } from './catalog.js'
import { failure, requireRight, type Act, type Scene } from './operation.js'

export interface CheckOperation {
  readonly verb: string
  /** Of the service that the check is of. */
  readonly tenancy: Tenancy
  readonly draft: CheckDraft
  /** As it was given; the draft's is filled in from the name. */
  readonly id: string
  readonly index: bigint
}

/** Write on the service that a check is of, or else on its node. */
const requireWrite = (scene: Scene, check: Omit<CheckDraft, 'Definition'>, tenancy: Tenancy): void => {
  if (check.ServiceID === '')
    requireRight(scene, 'node', 'write', check.Node, { ...tenancy, namespace: 'default' })
  else requireRight(scene, 'service', 'write', check.ServiceName, tenancy)
}

/** In the namespace of the service named, or among the checks of the node. */
const stored = (
  { tenancy, draft }: CheckOperation,
  { models: { catalog } }: Scene,
  id: string
): CheckState | undefined => {
  const ofNode = { ...tenancy, namespace: 'default' }
  return (
    (draft.ServiceID === '' ? undefined : catalog.check(tenancy, draft.Node, id)) ??
    catalog.check(ofNode, draft.Node, id) ??
    catalog.check(tenancy, draft.Node, id)
  )
}

const find = (operation: CheckOperation, scene: Scene): CheckState | undefined => {
  const { draft, id } = operation
  if (draft.Node === '' || id === '')
    throw failure('failed check lookup: Node and CheckID must both be given', 'invalid')
  return stored(operation, scene, id)
}

export const checkAct = (operation: CheckOperation): Act => {
  const { verb, tenancy, draft, id, index } = operation
  return catalogAct<CheckState>({
    kind: 'Check',
    verb,
    tenancy,
    index,
    title: `check "${verb === 'get' ? id : draft.CheckID}" on node "${draft.Node}"`,
    check: scene => {
      requireWrite(scene, draft, tenancy)
      if (draft.CheckID === '') throw failure('check lookup failed: CheckID or Name must be given', 'invalid')
    },
    find: scene => find(operation, scene),
    stored: scene => stored(operation, scene, draft.CheckID),
    modifyIndex: state => state.check.ModifyIndex,
    put: (scene, before) => {
      if (before) requireWrite(scene, before.check, before)
      const { catalog } = scene.models
      const service = catalog.service(tenancy, draft.Node, draft.ServiceID)
      const isHomeless = !catalog.node(tenancy.partition, draft.Node) || (draft.ServiceID !== '' && !service)
      // Measured: a set without its node or service fails, a cas does nothing and succeeds with the check as it is.
      if (verb === 'cas' && isHomeless) return before
      if (service) requireRight(scene, 'service', 'write', service.service.Service, tenancy)
      return ensureCheck(scene.stage, tenancy, draft, before?.runner)
    },
    remove: (scene, state) => {
      requireWrite(scene, state.check, state)
      removeCheck(scene.stage, state)
    },
    show: state => checkObject(state, null),
    mayRead: ({ rights }, { check, partition, namespace }) =>
      check.ServiceName === ''
        ? rights.may('node', 'read', check.Node, { partition, namespace: 'default' })
        : rights.may('service', 'read', check.ServiceName, { partition, namespace })
  })
}
