// Binding rules: what a rule is, and the events of its life.
import type { Event } from './envelope.js'

export const BIND_TYPES = ['service', 'node', 'role'] as const
export type BindType = (typeof BIND_TYPES)[number]

/** A binding rule: what a login with an auth method gives to whom (spec: auth.md §5). */
export interface BindingRule {
  readonly ID: string
  readonly Description: string
  /** Name of the method as its rule's maker wrote it; looked up without regard to letter case. */
  readonly AuthMethod: string
  /** Whom the rule is for; empty for everybody whom the method knows. */
  readonly Selector: string
  readonly BindType: BindType
  /** A name, or a template of one. */
  readonly BindName: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const BINDING_RULE_TOPIC = 'ACLBindingRule'
interface BindingRulePayload {
  readonly ACLBindingRule: BindingRule
}
export type BindingRuleUpserted = Event<
  typeof BINDING_RULE_TOPIC,
  'ACLBindingRuleUpserted',
  BindingRulePayload
>
export type BindingRuleDeleted = Event<typeof BINDING_RULE_TOPIC, 'ACLBindingRuleDeleted', BindingRulePayload>
export type BindingRuleEvent = BindingRuleUpserted | BindingRuleDeleted

/** Tells a rule's events from others; what the log holds under this topic was written by us. */
export const isBindingRuleEvent = (event: Event): event is BindingRuleEvent =>
  event.Topic === BINDING_RULE_TOPIC
