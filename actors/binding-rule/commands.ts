// Commands on binding rules (spec: auth.md §5).
import type { Command } from '../command.js'

/** What a caller may say of a rule; empty texts stand for what was not said. */
export interface BindingRuleDraft {
  readonly Description: string
  readonly AuthMethod: string
  readonly Selector: string
  readonly BindType: string
  readonly BindName: string
}

export type CreateBindingRule = Command<'CreateBindingRule', BindingRuleDraft & { readonly newId: string }>
export type UpdateBindingRule = Command<'UpdateBindingRule', BindingRuleDraft & { readonly id: string }>
export type DeleteBindingRule = Command<'DeleteBindingRule', { readonly id: string }>
export type BindingRuleCommand = CreateBindingRule | UpdateBindingRule | DeleteBindingRule
