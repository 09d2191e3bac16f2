// The life of an ACL policy.
import { setup } from 'xstate'
import { isPolicyEvent, MANAGEMENT_POLICY_ID, POLICY_TOPIC, type PolicyEvent } from '../../events/policy.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: PolicyEvent['Type']
  readonly event: PolicyEvent
}

const policyMachine = setup({
  types: { events: {} as Happening },
  guards: { isNotBuiltin: ({ event }) => event.event.Key !== MANAGEMENT_POLICY_ID }
}).createMachine({
  id: POLICY_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { ACLPolicyUpserted: 'live' } },
    live: {
      on: { ACLPolicyUpserted: 'live', ACLPolicyDeleted: { target: 'absent', guard: 'isNotBuiltin' } }
    }
  }
})

export const policyLife: Life = {
  topic: POLICY_TOPIC,
  machine: policyMachine,
  stateOf: (views, event) => (isPolicyEvent(event) && views.policies.get(event.Key) ? 'live' : 'absent')
}
