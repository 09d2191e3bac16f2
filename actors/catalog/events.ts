// Events of nodes, service instances and health checks.
import { CHECK_TOPIC, type CheckEvent, checkPayload, type CheckState } from '../../events/check.js'
import { NODE_TOPIC, type NodeEvent, nodePayload, type NodeState } from '../../events/node.js'
import { SERVICE_TOPIC, type ServiceEvent, servicePayload, type ServiceState } from '../../events/service.js'
import { createEvent } from '../create-event.js'

/** The key of a node is its ID, or without one its name. */
export const nodeEvent = (type: NodeEvent['Type'], state: NodeState): NodeEvent => ({
  ...createEvent({
    Topic: NODE_TOPIC,
    Type: type,
    Key: state.node.ID || state.node.Node,
    FilterKeys: [state.node.Node],
    Payload: { Node: nodePayload(state) }
  }),
  Partition: state.partition
})

const distinct = (keys: readonly string[]): readonly string[] => [...new Set(keys.filter(key => key !== ''))]

export const serviceEvent = (
  type: ServiceEvent['Type'],
  state: ServiceState,
  { node }: NodeState
): ServiceEvent =>
  createEvent({
    Topic: SERVICE_TOPIC,
    Type: type,
    Key: state.service.ID,
    tenancy: state,
    FilterKeys: distinct([state.service.Service, node.Node, node.ID]),
    Payload: { Service: servicePayload(state, node) }
  })

/**
 * Checks of nodes have no namespace. Values of Authorization headers are secrets, not part of the payload.
 */
export const checkEvent = (type: CheckEvent['Type'], state: CheckState): CheckEvent => {
  const { Node, CheckID, ServiceID, ServiceName } = state.check
  const { payload, secrets } = checkPayload(state)
  return {
    ...createEvent({
      Topic: CHECK_TOPIC,
      Type: type,
      Key: CheckID,
      tenancy: state,
      FilterKeys: [...new Set([Node, ServiceID, ServiceName].filter(key => key !== ''))],
      Payload: { Check: payload },
      ...(Object.keys(secrets).length > 0 ? { Secrets: secrets } : {})
    }),
    Namespace: ServiceID === '' ? '' : state.namespace
  }
}
