// Read model of the binding rules.
import {
  BINDING_RULE_TOPIC,
  isBindingRuleEvent,
  type BindingRuleUpserted
} from '../../events/binding-rule.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import type { Projection } from '../projection.js'
import { fact, type Fact } from '../saved-form.js'
import { tenancyOf } from '../tenancy-of.js'
import type { Watch } from '../watch.js'
import { BindingRuleRow } from './binding-rule-row.js'
import { nameKey, TenancyRows } from './tenancy-rows.js'

const byId = (a: BindingRuleRow, b: BindingRuleRow): number => (a.rule.ID < b.rule.ID ? -1 : 1)

/** Binding rules by ID and by auth method, ordered by ID; their watch keys begin with `binding-rules` and `binding-rule/`. Look-ups O(1). */
export class BindingRules extends TenancyRows<BindingRuleRow, never, 'method'> implements Projection {
  readonly topics = [BINDING_RULE_TOPIC]

  constructor(watch: Watch) {
    super(
      watch,
      { plural: 'binding-rules', singular: 'binding-rule' },
      {
        key: row => row.rule.ID,
        order: row => row.rule.ID,
        unique: {},
        multi: { method: row => [nameKey(row.tenancy, row.rule.AuthMethod)] }
      }
    )
  }

  /** The rule of this ID in any letter case. */
  get(id: string): BindingRuleRow | undefined {
    return this.table.get(id.toLowerCase())
  }

  /** The rules of a method, whose name is matched without regard to letter case, ordered by ID. */
  ofMethod(tenancy: Tenancy, name: string): readonly BindingRuleRow[] {
    return [...this.table.sharing('method', nameKey(tenancy, name))].toSorted(byId)
  }

  apply(event: Event, commit: Commit): void {
    if (!isBindingRuleEvent(event)) return
    const rule = event.Payload.ACLBindingRule
    const tenancy = tenancyOf(event)
    if (event.Type === 'ACLBindingRuleUpserted')
      this.table.put(new BindingRuleRow(rule, tenancy), commit.Index)
    else this.table.delete(rule.ID, commit.Index)
    this.touch(tenancy, rule.ID)
  }

  protected factOf({ tenancy, rule }: BindingRuleRow): Fact {
    return fact<BindingRuleUpserted>({
      Topic: BINDING_RULE_TOPIC,
      Type: 'ACLBindingRuleUpserted',
      Key: rule.ID,
      tenancy,
      Index: rule.ModifyIndex,
      Payload: { ACLBindingRule: rule }
    })
  }
}
