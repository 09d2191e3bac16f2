// Stores and removes service instances (spec: state.md §3.7).
import type { Tenancy } from '../../events/envelope.js'
import type { CatalogService, ServiceState } from '../../events/service.js'
import type { CatalogStage } from '../catalog/stage.js'
import { removeCheck } from '../check/ensure.js'
import { Refusal } from '../refusal.js'
import { serviceEvent } from './events.js'
import { checkServiceMeta, type ServiceDraft } from './rules.js'

const sameContent = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b)

const essence = ({ CreateIndex: _c, ModifyIndex: _m, ...draft }: CatalogService): ServiceDraft => draft

/**
 * Stores an instance as a whole; its checks stay as they are.
 * @param agent whether it came through the agent endpoints; one that did stays the agent's
 * @returns the instance as stored
 * @throws Refusal `invalid` when the node does not exist or the metadata breaks a rule
 */
export const ensureService = (
  stage: CatalogStage,
  tenancy: Tenancy,
  node: string,
  draft: ServiceDraft,
  agent = false
): ServiceState => {
  const { catalog, index } = stage
  const host = catalog.node(tenancy.partition, node)
  if (!host) throw new Refusal('invalid', `Missing node registration: node "${node}"`, 'missing')
  checkServiceMeta(draft, node)
  const before = catalog.service(tenancy, node, draft.ID)
  const isAgents = agent || before?.agent === true
  if (before && before.agent === isAgents && sameContent(essence(before.service), inOrder(draft)))
    return before
  const state: ServiceState = {
    partition: tenancy.partition,
    namespace: tenancy.namespace,
    node: host.node.Node,
    service: { ...inOrder(draft), CreateIndex: before?.service.CreateIndex ?? index, ModifyIndex: index },
    agent: isAgents
  }
  stage.emit(serviceEvent('ServiceRegistration', state, host))
  return state
}

/** The fields in the order in which the log gives them back, so that equal instances have equal texts. */
const inOrder = (draft: ServiceDraft): ServiceDraft => ({
  Kind: draft.Kind,
  ID: draft.ID,
  Service: draft.Service,
  Tags: draft.Tags,
  Address: draft.Address,
  TaggedAddresses: draft.TaggedAddresses,
  Meta: draft.Meta,
  Port: draft.Port,
  SocketPath: draft.SocketPath,
  Weights: draft.Weights,
  EnableTagOverride: draft.EnableTagOverride,
  Proxy: draft.Proxy,
  Connect: draft.Connect
})

/** Removes an instance: its checks first, with what these entail. */
export const removeService = (stage: CatalogStage, state: ServiceState): void => {
  const { catalog } = stage
  const { partition, namespace, node, service } = state
  const host = catalog.node(partition, node)
  if (!host) return
  const id = service.ID.toLowerCase()
  for (const check of catalog.checksOn(partition, node))
    if (check.namespace === namespace && check.check.ServiceID.toLowerCase() === id) removeCheck(stage, check)
  stage.emit(serviceEvent('ServiceDeregistration', state, host))
}
