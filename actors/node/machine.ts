// The lifecycle of a node of the catalog.
import { setup } from 'xstate'
import { isNodeEvent, NODE_TOPIC, type NodeEvent } from '../../events/node.js'
import type { Lifecycle } from '../aggregate.js'

interface Happening {
  readonly type: NodeEvent['Type']
  readonly event: NodeEvent
}

const nodeMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: NODE_TOPIC,
  initial: 'absent',
  states: {
    // A node that is restored from a snapshot comes with its last event.
    absent: {
      on: { NodeRegistration: 'registered', NodeEvent: 'registered', NodeEligibility: 'registered' }
    },
    registered: {
      on: {
        NodeRegistration: 'registered',
        NodeEvent: 'registered',
        NodeEligibility: 'registered',
        NodeDeregistration: 'absent'
      }
    }
  }
})

/** A node is known by its name; its key may change while it lives. */
export const nodeLifecycle: Lifecycle = {
  topic: NODE_TOPIC,
  machine: nodeMachine,
  stateOf: (views, event) =>
    isNodeEvent(event) && views.catalog.node(event.Partition, event.Payload.Node.Name)
      ? 'registered'
      : 'absent',
  identityOf: event => (isNodeEvent(event) ? event.Payload.Node.Name.toLowerCase() : event.Key),
  // The other events of a node that is there leave its address and the like as they are.
  restoredBy: (_views, wanted) => ({ ...wanted, Type: 'NodeRegistration' })
}
