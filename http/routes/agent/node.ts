// The server's own node, with the services and checks of the agent endpoints (spec: state.md §8).
import { isAlias } from '../../../actors/agent/alias.js'
import { agentRef, type AgentCheck, findAgentCheck } from '../../../actors/agent/agent.js'
import type { Commands } from '../../../actors/aggregates.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import type { CheckState } from '../../../events/check.js'
import { localKey } from '../../../projections/catalog/reader.js'
import type { CheckRow, Host, ServiceRow } from '../../../projections/catalog/rows.js'
import { requireCheck, requireOnNode } from '../catalog/registration-permissions.js'
import { empty, type RouteResponse } from '../../wire/response.js'
import { nodeTenancy } from '../../../projections/tenancy-view.js'
import type { RequestContext } from '../../wire/request-context.js'

const { partition: OWN_PARTITION } = DEFAULT_TENANCY

/** Returns the tenancy of a service of the agent, which is in the default partition. @throws Refusal `invalid` for another partition */
export const agentTenancy = ({ tenancy: { partition, namespace } }: RequestContext): Tenancy => {
  if (partition !== OWN_PARTITION)
    throw invalid(
      'agent.invalid',
      `Bad request: Invalid partition "${partition}": this agent is in the partition "default"`
    )
  return { partition, namespace }
}

/** Sends a command to the agent of this node. */
export const writeAgent = (request: RequestContext, command: Commands['Agent']): RouteResponse =>
  request.write(agentRef(request.agentNode), command, () => empty(200))

/** Returns the node of the agent; undefined in other partitions. */
export const ownHost = ({ views, agentNode, tenancy }: RequestContext): Host | undefined =>
  tenancy.partition === OWN_PARTITION ? views.catalog.host(OWN_PARTITION, agentNode) : undefined

/** Returns the services that were registered through the agent, in no order. */
export const agentServiceRows = (request: RequestContext): readonly ServiceRow[] =>
  [...(ownHost(request)?.services.values() ?? [])].filter(
    ({ state }) => state.agent && state.namespace === request.tenancy.namespace
  )

/** Returns the checks that were registered through the agent, in no order. Those of the node are in every namespace. */
export const agentCheckRows = (request: RequestContext): readonly CheckRow[] =>
  [...(ownHost(request)?.checks.values() ?? [])].filter(
    ({ state }) =>
      state.runner !== undefined &&
      (state.check.ServiceID === '' || state.namespace === request.tenancy.namespace)
  )

/** @throws Refusal `missing` */
export const agentServiceRow = (request: RequestContext, id: string): ServiceRow => {
  const row = ownHost(request)?.services.get(localKey(request.tenancy.namespace, id))
  if (!row?.state.agent) throw new Refusal('agent.not-found', `unknown service ID: ${id}`)
  return row
}

const findCheck = (request: RequestContext, id: string): CheckState | undefined => {
  const { catalog } = request.views
  return findAgentCheck(catalog, agentTenancy(request), request.agentNode, id)
}

/** Returns true if a deletion has nothing to do: without ACLs, deleting a missing resource succeeds as in the reference. */
const isGone = ({ settings }: RequestContext, id: string, found: object | undefined): boolean =>
  found === undefined && id !== '' && !settings.acl.enabled

export const hasNoService = (request: RequestContext, id: string): boolean =>
  isGone(request, id, ownHost(request)?.services.get(localKey(request.tenancy.namespace, id)))

export const hasNoCheck = (request: RequestContext, id: string): boolean =>
  isGone(request, id, findCheck(request, id))

/** An alias check shows the output of the aliased checks to readers of its own service. @throws Refusal `denied` without read permission on these */
export const requireAliased = (request: RequestContext, { runner }: AgentCheck): void => {
  if (!isAlias(runner)) return
  const tenancy = agentTenancy(request)
  const { AliasNode, AliasService } = runner
  const node = AliasNode || request.agentNode
  const service = AliasService && request.views.catalog.service(tenancy, node, AliasService)
  if (AliasService)
    request.require('service', 'read', service ? service.service.Service : AliasService, tenancy)
  if (AliasNode || !AliasService) requireOnNode(request, 'node', 'read', node, nodeTenancy(tenancy))
}

/** Returns a check of the agent that the caller may write. @throws Refusal `missing` or `denied` */
export const writableCheck = (request: RequestContext, id: string): CheckState => {
  const check = findCheck(request, id)
  if (!check?.runner) throw new Refusal('agent.not-found', `Unknown check "${id}"`)
  requireCheck(request, check)
  return check
}
