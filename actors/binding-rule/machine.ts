// The life of a binding rule.
import { setup } from 'xstate'
import { BINDING_RULE_TOPIC, isBindingRuleEvent, type BindingRuleEvent } from '../../events/binding-rule.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: BindingRuleEvent['Type']
  readonly event: BindingRuleEvent
}

const bindingRuleMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: BINDING_RULE_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { ACLBindingRuleUpserted: 'live' } },
    live: { on: { ACLBindingRuleUpserted: 'live', ACLBindingRuleDeleted: 'absent' } }
  }
})

export const bindingRuleLife: Life = {
  topic: BINDING_RULE_TOPIC,
  machine: bindingRuleMachine,
  stateOf: (views, event) =>
    isBindingRuleEvent(event) && views.bindingRules.get(event.Key) ? 'live' : 'absent'
}
