// The life of the ACL system: bootstrapped once, and again at every reset.
import { setup } from 'xstate'
import { OPERATOR_TOPIC, type AccessBootstrapped } from '../../events/access.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: AccessBootstrapped['Type']
  readonly event: AccessBootstrapped
}

const accessMachine = setup({
  types: { events: {} as Happening },
  guards: {
    namesItsToken: ({ event }) => event.event.Payload.ACLBootstrap.AccessorID !== ''
  }
}).createMachine({
  id: OPERATOR_TOPIC,
  initial: 'unbootstrapped',
  states: {
    unbootstrapped: { on: { ACLBootstrapped: { target: 'bootstrapped', guard: 'namesItsToken' } } },
    bootstrapped: { on: { ACLBootstrapped: { target: 'bootstrapped', guard: 'namesItsToken' } } }
  }
})

export const accessLife: Life = {
  topic: OPERATOR_TOPIC,
  machine: accessMachine,
  stateOf: views => (views.access.bootstrap ? 'bootstrapped' : 'unbootstrapped')
}
