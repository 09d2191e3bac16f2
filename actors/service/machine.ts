// The lifecycle of a service instance.
import { setup } from 'xstate'
import { isServiceEvent, SERVICE_TOPIC, type ServiceEvent } from '../../events/service.js'
import { localKey } from '../../projections/catalog/reader.js'
import type { Lifecycle } from '../aggregate.js'

interface Happening {
  readonly type: ServiceEvent['Type']
  readonly event: ServiceEvent
}

const serviceMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: SERVICE_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { ServiceRegistration: 'registered' } },
    registered: { on: { ServiceRegistration: 'registered', ServiceDeregistration: 'absent' } }
  }
})

/** An ID is unique only on its node. */
export const serviceLifecycle: Lifecycle = {
  topic: SERVICE_TOPIC,
  machine: serviceMachine,
  stateOf: (views, event) => {
    if (!isServiceEvent(event)) return 'absent'
    const tenancy = { partition: event.Partition, namespace: event.Namespace }
    const { Node, ID } = event.Payload.Service
    return views.catalog.service(tenancy, Node, ID) ? 'registered' : 'absent'
  },
  identityOf: event =>
    isServiceEvent(event) ? localKey(event.Payload.Service.Node, event.Payload.Service.ID) : event.Key
}
