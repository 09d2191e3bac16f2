// The rules that a suggestion replaces, with their scopes.
import { StepPace, type Steps } from '../../steps.js'
import type { Authorizer } from '../authorizer.js'
import type { SourcedRule } from '../merge.js'
import type { RuleResource, Scope } from '../rules/model.js'
import { placedIn, ruleKey, type PlacedRule } from './rule-removal.js'
import { intersect, intersection, precedes, precedesInAll, type Place } from './scope.js'

/** Names that a rule of a scope grants. */
interface GrantedPlace {
  readonly resource: RuleResource
  readonly scope: Scope
  readonly place: Place
  /** True for the rules of namespace defaults, before which all rules of a token decide. */
  readonly isByDefaults: boolean
}

/** True if a rule decides something now that is granted without it. */
const hides = ({ rule, ...own }: PlacedRule, granted: GrantedPlace): boolean => {
  const { scope, place } = granted
  // Any rule shows its namespace, unless the namespace itself is denied.
  if (rule.resource === 'namespace') return rule.level === 'deny' && intersect(own, scope)
  if (rule.resource !== granted.resource || !intersection(rule, place)) return false
  // A denial of nodes in `default` is for all namespaces at once.
  if (rule.resource === 'node' && precedesInAll(own, scope)) return true
  return granted.isByDefaults ? intersect(own, scope) : precedes(own, scope)
}

export class CurrentRules {
  /** Those of the token itself. */
  readonly #own: readonly PlacedRule[]
  readonly #defaults: readonly PlacedRule[]

  constructor({ rules }: Authorizer) {
    this.#own = rules === 'everything' ? [] : placedIn(rules.own)
    this.#defaults = rules === 'everything' ? [] : placedIn(rules.namespaceDefaults)
  }

  all(): readonly PlacedRule[] {
    return [...this.#own, ...this.#defaults]
  }

  /** The scopes that have a rule of the token. */
  scopesOf(deciding: SourcedRule): readonly Scope[] {
    const key = ruleKey(deciding)
    return this.#own.filter(rule => ruleKey(rule) === key)
  }

  /**
   * Returns the rules in place of which the namespace defaults would decide, or suggested rules for more tenancies,
   * if a suggestion had none there.
   */
  *hiding(suggested: readonly Omit<GrantedPlace, 'isByDefaults'>[]): Steps<readonly PlacedRule[]> {
    const pace = new StepPace()
    const granted = [
      ...suggested.map(one => ({ ...one, isByDefaults: false })),
      ...this.#defaults.map(({ rule, ...scope }) => ({
        resource: rule.resource,
        scope,
        place: rule,
        isByDefaults: true
      }))
    ]
    const found: PlacedRule[] = []
    for (const own of this.#own) {
      for (const one of granted) {
        if (pace.isOver()) yield
        if (!hides(own, one)) continue
        found.push(own)
        break
      }
    }
    return found
  }
}
