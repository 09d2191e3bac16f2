// The ordinary requests by which services and checks of this server's agent become again what they were.
import { invalid } from '../../../../actors/refusal.js'
import { type CheckState, NODE_MAINTENANCE, runnerFields } from '../../../../events/check.js'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { type ServiceState, serviceDefinition } from '../../../../events/service.js'
import { writeBackBodyOf } from '../../../schemas/write-back-body.js'
import type { RevertContext, RevertWrite } from './revert-request.js'

/** Each agent writes only what is on its own node. @throws Refusal `invalid` */
const requireOwnAgent = ({ agentNode }: RevertContext, partition: string, node: string): void => {
  if (partition !== DEFAULT_TENANCY.partition || node.toLowerCase() !== agentNode.toLowerCase())
    throw invalid(
      `Invalid node: it was registered at the agent of ${JSON.stringify(node)}, and this is the agent of ${JSON.stringify(agentNode)}: ask that server`
    )
}

/** The bodies of agents take no null: what was not given is not said. */
const said = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** Registers a service without its checks, which stay. @throws Refusal `invalid` for a service of another agent */
export const agentServiceWrite = (
  { service, node, partition }: ServiceState,
  asking: RevertContext
): RevertWrite => {
  requireOwnAgent(asking, partition, node)
  const { Service: Name, ...fields } = said(writeBackBodyOf(serviceDefinition, service))
  return { operationId: 'registerService', body: { ...fields, Name } }
}

/**
 * Registers a check, or turns on the maintenance that it stood for. What it found last is found anew.
 * @throws Refusal `invalid` for a check of another agent
 */
export const agentCheckWrite = (
  { check, runner = {}, partition }: CheckState,
  asking: RevertContext
): RevertWrite => {
  const { Node, CheckID, Name, Status, Notes, ServiceID, Type } = check
  requireOwnAgent(asking, partition, Node)
  if (Type === 'maintenance') {
    const query = { enable: 'true', reason: Notes }
    return CheckID === NODE_MAINTENANCE
      ? { operationId: 'setNodeMaintenance', query }
      : { operationId: 'setServiceMaintenance', params: { id: ServiceID }, query }
  }
  const how = writeBackBodyOf({ fields: runnerFields }, runner)
  return { operationId: 'registerCheck', body: { ...how, ID: CheckID, Name, Status, Notes, ServiceID } }
}
