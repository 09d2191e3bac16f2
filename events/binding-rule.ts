import { resourceEvents, type EventOf } from './envelope.js'
import {
  indexes,
  tenancy,
  writable,
  generated,
  defineResource,
  choiceType,
  textType
} from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'

export const BIND_TYPES = ['service', 'node', 'role'] as const
export type BindType = (typeof BIND_TYPES)[number]

/** Grants service, node or role identities to a login with an auth method (spec: auth.md §5). */
export const bindingRuleDefinition = defineResource({
  name: 'BindingRule',
  example: {
    given: {
      Description: 'Jobs of a team become its service',
      AuthMethod: 'ci',
      Selector: 'value.team != ""',
      BindType: 'service',
      BindName: '${value.team}'
    },
    made: { ID: '0113740a-7939-40ba-8d5c-0d2ff1b0e0a4', CreateIndex: 46, ModifyIndex: 46 }
  },
  fields: {
    ID: generated(textType, 'UUID; set by the service'),
    Description: writable(textType, 'Free text'),
    AuthMethod: writable(
      textType,
      'Name of the auth method, as it was written; its letter case does not matter'
    ),
    Selector: writable(textType, 'Whom the rule is for; empty for everybody', { listed: 'filled' }),
    BindType: writable(choiceType(...BIND_TYPES), 'service, node or role'),
    BindName: writable(textType, 'What is bound: a name, or a template such as web-${value.team}'),
    ...tenancy,
    ...indexes
  }
})

export type BindingRule = Stored<typeof bindingRuleDefinition.fields>
export type BindingRuleInput = Input<typeof bindingRuleDefinition.fields>

const LONGEST = 256
const IDENTITY = /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$/
const ROLE = /^[A-Za-z0-9_-]+$/

/** Checks a plain or computed bind name against the rules of its type. */
export const isBindName = (type: BindType, name: string): boolean =>
  name.length <= LONGEST && (type === 'role' ? ROLE : IDENTITY).test(name)

export const BINDING_RULE_TOPIC = 'ACLBindingRule'
export const bindingRuleEvents = resourceEvents({
  topic: BINDING_RULE_TOPIC,
  types: ['ACLBindingRuleUpserted', 'ACLBindingRuleDeleted'],
  payloadOf: (rule: BindingRule) => ({ ACLBindingRule: rule }),
  keyOf: ({ ACLBindingRule }) => ACLBindingRule.ID,
  filterKeysOf: ({ ACLBindingRule }) => [ACLBindingRule.AuthMethod]
})
export type BindingRuleEvent = EventOf<typeof bindingRuleEvents>
export const isBindingRuleEvent = bindingRuleEvents.is
