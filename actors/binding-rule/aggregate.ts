// The aggregate of binding rules.
import type { Aggregate } from '../aggregate.js'
import type { BindingRuleCommand } from './commands.js'
import { decideBindingRule } from './decide.js'
import { bindingRuleLife } from './machine.js'

export const bindingRuleAggregate: Aggregate<BindingRuleCommand> = {
  life: bindingRuleLife,
  decide: decideBindingRule
}
