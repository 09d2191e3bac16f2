// The life of an ACL role.
import { setup } from 'xstate'
import { isRoleEvent, ROLE_TOPIC, type RoleEvent } from '../../events/role.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: RoleEvent['Type']
  readonly event: RoleEvent
}

const roleMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: ROLE_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { ACLRoleUpserted: 'live' } },
    live: { on: { ACLRoleUpserted: 'live', ACLRoleDeleted: 'absent' } }
  }
})

export const roleLife: Life = {
  topic: ROLE_TOPIC,
  machine: roleMachine,
  stateOf: (views, event) => (isRoleEvent(event) && views.roles.get(event.Key) ? 'live' : 'absent')
}
