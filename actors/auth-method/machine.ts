// The lifecycle of an auth method.
import { setup } from 'xstate'
import { AUTH_METHOD_TOPIC, isAuthMethodEvent, type AuthMethodEvent } from '../../events/auth-method.js'
import type { Lifecycle } from '../aggregate.js'

interface Happening {
  readonly type: AuthMethodEvent['Type']
  readonly event: AuthMethodEvent
}

const authMethodMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: AUTH_METHOD_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { ACLAuthMethodUpserted: 'live' } },
    live: { on: { ACLAuthMethodUpserted: 'live', ACLAuthMethodDeleted: 'absent' } }
  }
})

export const authMethodLifecycle: Lifecycle = {
  topic: AUTH_METHOD_TOPIC,
  machine: authMethodMachine,
  stateOf: (views, event) => {
    const tenancy = { partition: event.Partition, namespace: event.Namespace }
    return isAuthMethodEvent(event) && views.authMethods.named(tenancy, event.Key) ? 'live' : 'absent'
  }
}
