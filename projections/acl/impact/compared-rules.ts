import type { Tenancy } from '../../../events/envelope.js'
import { getOrCreate } from '../../maps.js'
import { spaceOf } from '../../row-table.js'
import { ANY_NAMESPACE, type AuthorizerRules, type ScopedRules } from '../authorizer.js'
import { rulesByScope } from '../layer.js'
import type { Rule, RuleResource, ScopeName } from '../rules/model.js'

/** `*` as a namespace matches every name. */
export const matches = ({ match, label }: ScopeName, name: string): boolean =>
  name === ANY_NAMESPACE || (match === 'exact' ? name === label : name.startsWith(label))

interface Scope {
  readonly partition: ScopeName
  readonly namespace: ScopeName
  /** Rules by their content, with the number of states that have them: 1 for changed ones. */
  readonly rules: Map<string, { readonly rule: Rule; states: Set<number> }>
}

type Layers = Exclude<AuthorizerRules, 'everything'>

const NONE: Layers = { own: [], defaultPolicy: 'deny', namespaceDefaults: [] }

/** The content of a rule, without its position and source, which change no decision. */
export const contentOf = ({ resource, match, label, level, intentions }: Rule): string =>
  `${resource} ${match} ${level} ${intentions} ${label}`

/** The rules of two authorizers, and which of them only one has. */
export class ComparedRules {
  readonly scopes: readonly Scope[]
  readonly #within = new Map<string, RulesWithin>()

  constructor(before: AuthorizerRules, after: AuthorizerRules) {
    const scopes = new Map<string, Scope>()
    for (const [state, rules] of [before, after].entries()) {
      const { own, namespaceDefaults } = rules === 'everything' ? NONE : rules
      this.#add(scopes, own, 'token', state)
      this.#add(scopes, namespaceDefaults, 'namespace', state)
    }
    this.scopes = [...scopes.values()]
  }

  /** True if no rule differs, so that no decision does. */
  get isSame(): boolean {
    return this.scopes.every(({ rules }) => [...rules.values()].every(({ states }) => states.size === 2))
  }

  /** Returns the rules that count in a tenancy. */
  within(tenancy: Tenancy): RulesWithin {
    return getOrCreate(
      this.#within,
      spaceOf(tenancy),
      () =>
        new RulesWithin(
          this.scopes.filter(
            ({ partition, namespace }) =>
              matches(partition, tenancy.partition) && matches(namespace, tenancy.namespace)
          )
        )
    )
  }

  #add(scopes: Map<string, Scope>, sets: readonly ScopedRules[], layer: string, state: number): void {
    for (const { partition, namespace, rules } of rulesByScope(sets)) {
      const key = `${layer} ${partition.match} ${partition.label} ${namespace.match} ${namespace.label}`
      const scope = getOrCreate(scopes, key, () => ({ partition, namespace, rules: new Map() }))
      for (const { rule } of rules) {
        const content = contentOf(rule)
        const known = scope.rules.get(content)
        if (known) known.states.add(state)
        else scope.rules.set(content, { rule, states: new Set([state]) })
      }
    }
  }
}

class RulesWithin {
  readonly #all = new Map<RuleResource, ScopeName[]>()
  readonly #changed = new Map<RuleResource, ScopeName[]>()

  constructor(scopes: readonly Scope[]) {
    for (const scope of scopes)
      for (const { rule, states } of scope.rules.values()) {
        getOrCreate<RuleResource, ScopeName[]>(this.#all, rule.resource, () => []).push(rule)
        if (states.size === 1)
          getOrCreate<RuleResource, ScopeName[]>(this.#changed, rule.resource, () => []).push(rule)
      }
  }

  get isChanged(): boolean {
    return this.#changed.size > 0
  }

  all(resource: RuleResource): readonly ScopeName[] {
    return this.#all.get(resource) ?? []
  }

  changed(resource: RuleResource): readonly ScopeName[] {
    return this.#changed.get(resource) ?? []
  }
}
