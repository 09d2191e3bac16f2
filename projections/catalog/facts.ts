// The facts that a node and what is on it are (see `saved.ts`).
import { CHECK_TOPIC, checkPayload, type CheckRegistration, type CheckState } from '../../events/check.js'
import { NODE_TOPIC, nodePayload, type NodeRegistration, type NodeState } from '../../events/node.js'
import {
  SERVICE_TOPIC,
  servicePayload,
  type ServiceRegistration,
  type ServiceState
} from '../../events/service.js'
import { fact, type Fact } from '../saved.js'
import { byKey, type Host } from './rows.js'

/** The node, its services, and its checks, which follow the services that they are of. */
export function* factsOf({ state, services, checks }: Host): Iterable<Fact> {
  yield nodeFact(state)
  for (const row of byKey(services)) yield serviceFact(row.state, state)
  for (const row of byKey(checks)) yield checkFact(row.state)
}

const nodeFact = (state: NodeState): Fact =>
  fact<NodeRegistration>({
    Topic: NODE_TOPIC,
    Type: 'NodeRegistration',
    Key: state.node.ID || state.node.Node,
    tenancy: { partition: state.partition, namespace: '' },
    Index: state.node.ModifyIndex,
    Payload: { Node: nodePayload(state) }
  })

const serviceFact = (state: ServiceState, { node }: NodeState): Fact =>
  fact<ServiceRegistration>({
    Topic: SERVICE_TOPIC,
    Type: 'ServiceRegistration',
    Key: state.service.ID,
    tenancy: state,
    Index: state.service.ModifyIndex,
    // It keeps the name of its node as it was spelled when it was registered.
    Payload: { Service: servicePayload(state, { ...node, Node: state.node }) }
  })

const checkFact = (state: CheckState): Fact => {
  const { payload, secrets } = checkPayload(state)
  return fact<CheckRegistration>({
    Topic: CHECK_TOPIC,
    Type: 'CheckRegistration',
    Key: state.check.CheckID,
    tenancy: state,
    Index: state.check.ModifyIndex,
    Payload: { Check: payload },
    Secrets: secrets
  })
}
