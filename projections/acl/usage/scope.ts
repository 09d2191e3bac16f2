// The namespaces that a rule is for, and which of two scopes decides first.
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { SCOPES, type Match, type Resource, type ScopeName } from '../rules/model.js'
import { WITNESS } from './decide-question.js'

/** The partitions and namespaces of a rule: each one by name, or all with a prefix. */
export interface Scope {
  readonly partition: ScopeName
  readonly namespace: ScopeName
}

export const exactly = (label: string): ScopeName => ({ match: 'exact', label })

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

interface Labelled {
  readonly match: Match
  readonly label: string
}

/** True if all names of `inner` are names of `outer`. */
export const contains = (outer: Labelled, inner: Labelled): boolean =>
  outer.match === 'prefix'
    ? inner.label.startsWith(outer.label)
    : inner.match === 'exact' && inner.label === outer.label

/** The names of both, undefined if there are none. */
export const intersection = (a: Labelled, b: Labelled): Labelled | undefined => {
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
