import { CHECK_TOPIC, type CheckEvent, checkPayload } from '../../events/check.js'
import { NODE_TOPIC, type NodeEvent, nodePayload } from '../../events/node.js'
import { SERVICE_TOPIC, servicePayload, type ServiceRegistration } from '../../events/service.js'
import { type Fact, fact } from '../projection.js'
import { byKey } from '../row-table.js'
import type { CheckRow, Host, ServiceRow } from './rows.js'

/** The node, its services, and its checks, which must follow their services. */
export function* factsOf(host: Host): Iterable<Fact> {
  yield nodeFact(host)
  for (const row of byKey(host.services)) yield serviceFact(row)
  for (const row of byKey(host.checks)) yield checkFact(row)
}

export const nodeFact = ({ state, lastEvent: { type, index } }: Host): Fact =>
  fact<NodeEvent>({
    Topic: NODE_TOPIC,
    Type: type,
    Key: state.node.ID || state.node.Node,
    tenancy: { partition: state.partition, namespace: '' },
    Index: index,
    Payload: { Node: nodePayload(state) }
  })

export const serviceFact = ({ state, registeredOn }: ServiceRow): Fact =>
  fact<ServiceRegistration>({
    Topic: SERVICE_TOPIC,
    Type: 'ServiceRegistration',
    Key: state.service.ID,
    tenancy: state,
    Index: state.service.ModifyIndex,
    Payload: { Service: servicePayload(state, registeredOn) }
  })

export const checkFact = ({ state, tenancy, eventType }: CheckRow): Fact => {
  const { payload, secrets } = checkPayload(state)
  return fact<CheckEvent>({
    Topic: CHECK_TOPIC,
    Type: eventType,
    Key: state.check.CheckID,
    // Events of checks of nodes have no namespace.
    tenancy: state.check.ServiceID === '' ? { ...tenancy, namespace: '' } : tenancy,
    Index: state.check.ModifyIndex,
    Payload: { Check: payload },
    Secrets: secrets
  })
}
