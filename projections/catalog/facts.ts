import { checkEvents, checkPayload } from '../../events/check.js'
import { nodeEvents, nodePayload } from '../../events/node.js'
import { serviceEvents, servicePayload } from '../../events/service.js'
import { type Fact, resourceFact } from '../projection.js'
import { byKey } from '../row-table.js'
import type { CheckRow, Host, ServiceRow } from './rows.js'

/** The node, its services, and its checks, which must follow their services. */
export function* factsOf(host: Host): Iterable<Fact> {
  yield nodeFact(host)
  for (const row of byKey(host.services)) yield serviceFact(row)
  for (const row of byKey(host.checks)) yield checkFact(row)
}

export const nodeFact = ({ state, lastEvent: { type, index } }: Host): Fact =>
  resourceFact(nodeEvents, nodePayload(state), {
    Type: type,
    tenancy: { partition: state.partition, namespace: '' },
    Index: index
  })

export const serviceFact = ({ state, registeredOn }: ServiceRow): Fact =>
  resourceFact(serviceEvents, servicePayload(state, registeredOn), {
    tenancy: state,
    Index: state.service.ModifyIndex
  })

export const checkFact = ({ state, tenancy, eventType }: CheckRow): Fact => {
  const { payload, secrets } = checkPayload(state)
  return resourceFact(checkEvents, payload, {
    Type: eventType,
    // Events of checks of nodes have no namespace.
    tenancy: state.check.ServiceID === '' ? { ...tenancy, namespace: '' } : tenancy,
    Index: state.check.ModifyIndex,
    Secrets: secrets
  })
}
