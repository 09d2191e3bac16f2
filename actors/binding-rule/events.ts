// Makes the events of binding rules.
import {
  BINDING_RULE_TOPIC,
  type BindingRule,
  type BindingRuleDeleted,
  type BindingRuleUpserted
} from '../../events/binding-rule.js'
import type { Tenancy } from '../../events/envelope.js'
import { makeEvent } from '../make-event.js'

export const bindingRuleUpserted = (tenancy: Tenancy, rule: BindingRule): BindingRuleUpserted =>
  makeEvent({
    Topic: BINDING_RULE_TOPIC,
    Type: 'ACLBindingRuleUpserted',
    Key: rule.ID,
    tenancy,
    FilterKeys: [rule.AuthMethod],
    Payload: { ACLBindingRule: rule }
  })

export const bindingRuleDeleted = (tenancy: Tenancy, rule: BindingRule): BindingRuleDeleted =>
  makeEvent({
    Topic: BINDING_RULE_TOPIC,
    Type: 'ACLBindingRuleDeleted',
    Key: rule.ID,
    tenancy,
    FilterKeys: [rule.AuthMethod],
    Payload: { ACLBindingRule: rule }
  })
