// Makes the events of service instances.
import type { NodeState } from '../../events/node.js'
import { SERVICE_TOPIC, servicePayload, type ServiceEvent, type ServiceState } from '../../events/service.js'
import { makeEvent } from '../make-event.js'

const distinct = (keys: readonly string[]): readonly string[] => [...new Set(keys.filter(key => key !== ''))]

export const serviceEvent = (
  type: ServiceEvent['Type'],
  state: ServiceState,
  { node }: NodeState
): ServiceEvent =>
  makeEvent({
    Topic: SERVICE_TOPIC,
    Type: type,
    Key: state.service.ID,
    tenancy: state,
    FilterKeys: distinct([state.service.Service, node.Node, node.ID]),
    Payload: { Service: servicePayload(state, node) }
  })
