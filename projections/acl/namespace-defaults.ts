// The default policies and roles of a namespace as rules for a token in it (spec: tenancy.md §9.4).
import type { Tenancy } from '../../events/envelope.js'
import type { ScopedRules } from './layer.js'
import type { Rule, RuleResource } from './rules/model.js'

const NOT_OF_A_NAMESPACE: readonly RuleResource[] = ['operator', 'keyring', 'event', 'query', 'agent']

/**
 * Default policies live in namespace `default`. Their plain rules apply there and also in the token's own namespace;
 * those that are not about a namespace, and writing nodes, mean no more than they do at home.
 * @param defaults the rules of the namespace's default policies and roles
 * @param token the tenancy of the token
 */
export function namespaceDefaultRules(
  defaults: readonly ScopedRules[],
  token: Tenancy
): readonly ScopedRules[] {
  return defaults.flatMap(set => {
    if (set.tenancy.partition === token.partition && set.tenancy.namespace === token.namespace) return [set]
    const rules = set.rules.rules.filter(isOfNamespace)
    return [set, { ...set, rules: { rules, blocks: [], warnings: [] }, tenancy: token }]
  })
}

const isOfNamespace = ({ resource, level }: Rule): boolean =>
  !NOT_OF_A_NAMESPACE.includes(resource) && !(resource === 'node' && level === 'write')
