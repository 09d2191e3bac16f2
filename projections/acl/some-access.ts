import type { Tenancy } from '../../events/envelope.js'
import type { Authorizer, Resource } from './authorizer.js'
import { rulesByScope } from './layer.js'
import type { Rule, ScopeName } from './rules/model.js'

const ANY = '*'

const isIn = ({ match, label }: ScopeName, name: string): boolean =>
  name === ANY || (match === 'exact' ? name === label : name.startsWith(label))

/** The tenancy in which a rule for a tenancy must be. */
const placeOf = ({ resource }: Rule, { partition, namespace }: Tenancy): Tenancy => {
  if (resource === 'operator' || resource === 'query') return { partition: 'default', namespace: 'default' }
  return { partition, namespace: resource === 'node' ? 'default' : namespace }
}

const grants = ({ resource, level, intentions }: Rule, resources: readonly Resource[]): boolean =>
  (level !== 'deny' && resources.includes(resource)) ||
  (intentions !== null && intentions !== 'deny' && resources.includes('intention'))

/**
 * A cheap check before work in vain: false only if an authorizer denies reading every one of the resources. Costs a look at each rule.
 * @param tenancy `*` stands for every partition or namespace
 */
export const grantsSome = (
  { rules }: Authorizer,
  resources: readonly Resource[],
  tenancy: Tenancy
): boolean => {
  if (rules === 'everything' || rules.defaultPolicy === 'allow') return true
  return rulesByScope([...rules.own, ...rules.namespaceDefaults]).some(scope =>
    scope.rules.some(({ rule }) => {
      const { partition, namespace } = placeOf(rule, tenancy)
      return grants(rule, resources) && isIn(scope.partition, partition) && isIn(scope.namespace, namespace)
    })
  )
}
