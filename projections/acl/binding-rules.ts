// Read model of the binding rules.
import { BINDING_RULE_TOPIC, isBindingRuleEvent } from '../../events/binding-rule.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import type { Projection } from '../projection.js'
import { spaceOf, Table } from '../table.js'
import type { Watch } from '../watch.js'
import { methodKey } from './auth-methods.js'
import { BindingRuleRow } from './binding-rule-row.js'

const byId = (a: BindingRuleRow, b: BindingRuleRow): number => (a.rule.ID < b.rule.ID ? -1 : 1)

/**
 * Binding rules by ID and by auth method. Costs: look-ups O(1), a change O(1), a list O(rules listed).
 * Watch keys: `binding-rules` for any change, `binding-rules/<partition>/<namespace>` for those of a tenancy, `binding-rule/<id>` for one.
 */
export class BindingRules implements Projection {
  readonly topics = [BINDING_RULE_TOPIC]
  readonly #watch: Watch
  readonly #table = new Table<BindingRuleRow, never, 'method'>({
    key: row => row.rule.ID,
    tenancy: row => row.tenancy,
    order: row => row.rule.ID,
    unique: {},
    multi: { method: row => [methodKey(row.tenancy, row.rule.AuthMethod)] }
  })

  constructor(watch: Watch) {
    this.#watch = watch
  }

  /** Index of the last change of any rule. */
  get index(): number {
    return this.#table.index
  }

  /** Index of the last change of a rule of this tenancy. */
  indexOf(tenancy: Tenancy): number {
    return this.#table.indexOf(tenancy)
  }

  /** The rule of this ID in any letter case. */
  get(id: string): BindingRuleRow | undefined {
    return this.#table.get(id.toLowerCase())
  }

  /** The rules of a tenancy, ordered by ID. */
  list(tenancy: Tenancy): readonly BindingRuleRow[] {
    return this.#table.list(tenancy)
  }

  /** The rules of a tenancy in no order, while they are deleted: cheap to begin, whatever their number. */
  within(tenancy: Tenancy): Iterable<BindingRuleRow> {
    return this.#table.within(tenancy)
  }

  /** The rules of a method, whose name is matched without regard to letter case, ordered by ID. */
  ofMethod(tenancy: Tenancy, name: string): readonly BindingRuleRow[] {
    return [...this.#table.sharing('method', methodKey(tenancy, name))].toSorted(byId)
  }

  apply(event: Event, commit: Commit): void {
    if (!isBindingRuleEvent(event)) return
    const rule = event.Payload.ACLBindingRule
    const tenancy = { partition: event.Partition, namespace: event.Namespace }
    if (event.Type === 'ACLBindingRuleUpserted')
      this.#table.put(new BindingRuleRow(rule, tenancy), commit.Index)
    else this.#table.delete(rule.ID, commit.Index)
    this.#watch.touch('binding-rules')
    this.#watch.touch(`binding-rules/${spaceOf({ partition: event.Partition, namespace: event.Namespace })}`)
    this.#watch.touch(`binding-rule/${rule.ID}`)
  }

  reset(): void {
    this.#table.clear()
  }

  *dump(): Iterable<unknown> {
    for (const row of [...this.#table.all()].toSorted(byId)) yield [row.tenancy, row.rule]
    yield this.index
  }
}
