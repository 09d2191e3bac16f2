// The namespaces that a rule is for, and which of two scopes decides first.
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { exactly, SCOPES, type Resource, type Rule, type Scope, type ScopeName } from '../rules/model.js'
import { WITNESS } from './decide-question.js'

/** A name, or all names with a prefix. */
export type Place = Pick<Rule, 'match' | 'label'>

export const scopeOf = ({ partition, namespace }: Tenancy): Scope => ({
  partition: exactly(partition),
  namespace: exactly(namespace)
})

/** The scope as far as it counts for a resource. */
export const effectiveScope = (resource: Resource, { partition, namespace }: Scope): Scope => {
  const inDefault = scopeOf(DEFAULT_TENANCY)
  if (SCOPES[resource] === 'cluster') return inDefault
  return { partition, namespace: SCOPES[resource] === 'partition' ? inDefault.namespace : namespace }
}

export const scopeKey = ({ partition, namespace }: Scope): string =>
  JSON.stringify([partition.match, partition.label, namespace.match, namespace.label])

export const isOneTenancy = ({ partition, namespace }: Scope): boolean =>
  partition.match === 'exact' && namespace.match === 'exact'

const someName = ({ match, label }: ScopeName): string => (match === 'exact' ? label : `${label}${WITNESS}`)

/** A tenancy of the scope, but of none that is more specific. */
export const witnessOf = ({ partition, namespace }: Scope): Tenancy => ({
  partition: someName(partition),
  namespace: someName(namespace)
})

/** True if all names of `inner` are names of `outer`. */
export const contains = (outer: Place, inner: Place): boolean =>
  outer.match === 'prefix'
    ? inner.label.startsWith(outer.label)
    : inner.match === 'exact' && inner.label === outer.label

/** The names of both, undefined if there are none. */
export const intersection = (a: Place, b: Place): Place | undefined => {
  if (contains(a, b)) return b
  return contains(b, a) ? a : undefined
}

export const intersect = (a: Scope, b: Scope): boolean =>
  intersection(a.partition, b.partition) !== undefined && intersection(a.namespace, b.namespace) !== undefined

/** True if the rules of the first scope decide before those of the second one in some tenancy. */
export const precedes = (first: Scope, second: Scope): boolean => {
  const isWithin = contains(second.partition, first.partition)
  const isSame = isWithin && contains(first.partition, second.partition)
  return isWithin && intersect(first, second) && !(isSame && contains(first.namespace, second.namespace))
}

/** True if the first scope has the namespace `default` in a partition of the second one, so that it decides about all namespaces at once. */
export const precedesInAll = (first: Scope, second: Scope): boolean =>
  contains(first.namespace, exactly(DEFAULT_TENANCY.namespace)) &&
  intersection(first.partition, second.partition) !== undefined
