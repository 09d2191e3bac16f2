import {
  bindingRuleDefinition,
  bindingRuleEvents,
  type BindingRule,
  type BindingRuleEvent
} from '../../events/binding-rule.js'
import type { Tenancy } from '../../events/envelope.js'
import { recover } from '../../events/errors.js'
import type { Watch } from '../watch.js'
import { nameKey } from '../row-table.js'
import { TenancyRows } from '../table-projection.js'
import type { AuthMethodType } from '../../events/auth-method.js'
import { compileFilter, FilterError, parseFilter, type Predicate } from '../language/filter.js'
import { parseTemplate, type Template } from '../language/template.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { map, object, string, strings, type Fields } from '../language/filter-syntax.js'

export interface Identity {
  /** The input of selectors: `value` and `list`, or `serviceaccount`. */
  readonly selectable: Readonly<Record<string, object>>
  /** The variables of templates by name; in lower case, '' for a mapped claim that is missing. */
  readonly variables: ReadonlyMap<string, string>
}

const claims: Fields = { value: map(string), list: map(strings) }
const serviceAccount: Fields = {
  serviceaccount: object({ namespace: string, name: string, uid: string })
}

const identityFields = (type: AuthMethodType): Fields => (type === 'kubernetes' ? serviceAccount : claims)

const shown = resourceViewsOf(bindingRuleDefinition)
const listed = resourceViewsOf(bindingRuleDefinition, 'listed')

/** @throws FilterError */
export const compileSelector = (selector: string, type: AuthMethodType): Predicate =>
  selector === '' ? () => true : compileFilter(parseFilter(selector), identityFields(type))

/** A selector that is no longer valid, or that cannot be evaluated for an identity, selects nothing. */
const orNever = (selector: string, type: AuthMethodType): Predicate => {
  const never = (): boolean => false
  const selects = recover(
    () => compileSelector(selector, type),
    FilterError,
    () => never
  )
  return value => recover(() => selects(value), FilterError, never)
}

export class BindingRuleRow {
  readonly json: string
  readonly listJson: string
  #selects: Predicate | undefined
  #template: Template | undefined

  constructor(
    readonly rule: BindingRule,
    readonly tenancy: Tenancy
  ) {
    this.json = JSON.stringify(shown(rule, tenancy))
    this.listJson = JSON.stringify(listed(rule, tenancy))
  }

  /** Decides if the rule applies to an identity. A selector that is no longer valid selects nothing. */
  selects({ selectable }: Identity, type: AuthMethodType): boolean {
    this.#selects ??= orNever(this.rule.Selector, type)
    return this.#selects(selectable)
  }

  /** Renders the name that the rule assigns to an identity. @throws TemplateError */
  nameFor({ variables }: Identity): string {
    return this.#bindName.render(variables)
  }

  /** Returns false only if the rule assigns this name to no identity, whatever its letter case. @throws TemplateError */
  mayBind(name: string): boolean {
    return this.#bindName.mayRender(name)
  }

  get #bindName(): Template {
    return (this.#template ??= parseTemplate(this.rule.BindName))
  }
}

const byId = (a: BindingRuleRow, b: BindingRuleRow): number => (a.rule.ID < b.rule.ID ? -1 : 1)

/** Binding rules ordered by ID; their watch keys begin with `binding-rules` and `binding-rule/`. Look-ups O(1). */
export class BindingRules extends TenancyRows<
  BindingRuleRow,
  BindingRule,
  BindingRuleEvent,
  never,
  'method'
> {
  constructor(watch: Watch, below?: BindingRules) {
    super(
      watch,
      { plural: 'binding-rules', singular: 'binding-rule' },
      {
        events: bindingRuleEvents,
        rowOf: ({ Payload }, tenancy) => new BindingRuleRow(Payload.ACLBindingRule, tenancy),
        resourceOf: row => row.rule,
        key: row => row.rule.ID,
        order: row => row.rule.ID,
        unique: {},
        multi: { method: row => [nameKey(row.tenancy, row.rule.AuthMethod)] }
      },
      below
    )
  }

  get(id: string): BindingRuleRow | undefined {
    return this.table.get(id.toLowerCase())
  }

  /** The rules of a method, whose name is in any letter case, ordered by ID. */
  ofMethod(tenancy: Tenancy, name: string): readonly BindingRuleRow[] {
    return [...this.table.sharing('method', nameKey(tenancy, name))].toSorted(byId)
  }
}
