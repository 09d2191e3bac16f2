// The lifecycle of a health check.
import { setup } from 'xstate'
import { CHECK_TOPIC, isCheckEvent, type CheckEvent } from '../../events/check.js'
import type { Lifecycle } from '../aggregate.js'

interface Happening {
  readonly type: CheckEvent['Type']
  readonly event: CheckEvent
}

const checkMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: CHECK_TOPIC,
  initial: 'absent',
  states: {
    // A check that is restored from a snapshot comes with its last event.
    absent: { on: { CheckRegistration: 'registered', CheckStatusUpdate: 'registered' } },
    registered: {
      on: {
        CheckRegistration: 'registered',
        CheckStatusUpdate: 'registered',
        CheckDeregistration: 'absent'
      }
    }
  }
})

/** An ID is unique only on its node, where checks of the node and of services in `default` share it. */
export const checkLifecycle: Lifecycle = {
  topic: CHECK_TOPIC,
  machine: checkMachine,
  stateOf: (views, event) => {
    if (!isCheckEvent(event)) return 'absent'
    const tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
    const { Node, CheckID } = event.Payload.Check
    return views.catalog.check(tenancy, Node, CheckID) ? 'registered' : 'absent'
  },
  identityOf: event => {
    if (!isCheckEvent(event)) return event.Key
    const { Node, CheckID } = event.Payload.Check
    return JSON.stringify([Node.toLowerCase(), CheckID.toLowerCase()])
  }
}
