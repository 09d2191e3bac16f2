// One binding rule, compiled when it is first asked for, and its answers, serialised once per change.
import type { AuthMethodType } from '../../events/auth-method.js'
import { bindingRuleDefinition, type BindingRule } from '../../events/binding-rule.js'
import type { Tenancy } from '../../events/envelope.js'
import { compileFilter, FilterError, parseFilter, type Predicate } from '../language/filter.js'
import { parseTemplate, type Template } from '../language/template.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { identityFields, type Identity } from './identity.js'

const shown = resourceViewsOf(bindingRuleDefinition)
const listed = resourceViewsOf(bindingRuleDefinition, 'listed')

/** @throws FilterError */
export const compileSelector = (selector: string, type: AuthMethodType): Predicate =>
  selector === '' ? () => true : compileFilter(parseFilter(selector), identityFields(type))

/** A selector that cannot be read any more, or not be evaluated for somebody, is for nobody. */
const orNever = (selector: string, type: AuthMethodType): Predicate => {
  try {
    const selects = compileSelector(selector, type)
    return value => neverOnFault(() => selects(value))
  } catch (error) {
    if (error instanceof FilterError) return () => false
    throw error
  }
}

const neverOnFault = (selects: () => boolean): boolean => {
  try {
    return selects()
  } catch (error) {
    if (error instanceof FilterError) return false
    throw error
  }
}

/** A rule as the read model holds it. */
export class BindingRuleRow {
  /** The answer of a read. */
  readonly json: string
  /** The entry in a list. */
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

  /** Whether the rule is for this identity. A selector that cannot be read any more is for nobody. */
  selects({ selectable }: Identity, type: AuthMethodType): boolean {
    this.#selects ??= orNever(this.rule.Selector, type)
    return this.#selects(selectable)
  }

  /** The name that the rule gives to an identity. @throws TemplateError when it cannot be computed */
  nameFor({ variables }: Identity): string {
    this.#template ??= parseTemplate(this.rule.BindName)
    return this.#template.render(variables)
  }
}
