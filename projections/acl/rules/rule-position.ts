// The position of a rule in its text, and the rules that are allowed there (spec: tenancy.md §9.1).
import type { Tenancy } from '../../../events/envelope.js'
import type { Rule, RuleResource, ScopeName } from './model.js'

/** The partitions and namespaces of the rules at one position of a text. */
export interface RulePosition {
  /** The enclosing block, which may itself be inside a partition block. */
  readonly inside: 'text' | 'partition' | 'namespace'
  readonly home: Tenancy
  readonly partition: ScopeName
  readonly namespace: ScopeName
}

const only = (label: string): ScopeName => ({ match: 'exact', label })
const isDefault = ({ match, label }: ScopeName): boolean => match === 'exact' && label === 'default'

export const positionOfText = (home: Tenancy): RulePosition => ({
  inside: 'text',
  home,
  partition: only(home.partition),
  namespace: only(home.namespace)
})

export const positionOfBlock = (
  place: RulePosition,
  kind: 'namespace' | 'partition',
  name: ScopeName
): RulePosition =>
  kind === 'namespace'
    ? { ...place, inside: 'namespace', namespace: name }
    : { ...place, inside: 'partition', partition: name, namespace: only('default') }

/** The reason why a block is not allowed at `place`; undefined if it is. */
export function explainInvalidBlock(
  place: RulePosition,
  kind: 'namespace' | 'partition'
): string | undefined {
  const { inside, home } = place
  if (inside === 'namespace') return `a ${kind} block may not stand inside a namespace block`
  if (home.namespace !== 'default')
    return `a policy of namespace ${JSON.stringify(home.namespace)} reaches no other`
  if (kind === 'namespace') return undefined
  if (inside === 'partition') return 'a partition block may not stand inside another'
  return home.partition === 'default'
    ? undefined
    : `a policy of partition ${JSON.stringify(home.partition)} reaches no other`
}

/** Rules of newer servers on a partition, which have no effect here. */
const OF_PARTITION: readonly string[] = ['mesh', 'peering']

/** The reason why an unknown rule is not allowed at `place`; undefined if it is. */
export function explainUnknownKey({ inside, home }: RulePosition, name: string): string | undefined {
  const isInNamespace = inside === 'namespace' || home.namespace !== 'default'
  return isInNamespace && OF_PARTITION.includes(name) ? 'not allowed for a namespace' : undefined
}

const CLUSTER_WIDE: readonly RuleResource[] = ['operator', 'keyring', 'event', 'query']

/** The reason why a rule is not allowed at `place`; undefined if it is. */
export function explainInvalidRule(
  { partition, namespace }: RulePosition,
  { resource, level }: Rule
): string | undefined {
  if (CLUSTER_WIDE.includes(resource) && !(isDefault(partition) && isDefault(namespace)))
    return 'allowed only for namespace "default" of partition "default"'
  if (resource === 'agent' && !isDefault(namespace)) return 'allowed only for namespace "default"'
  if (resource === 'node' && level === 'write' && !isDefault(namespace))
    return 'write is allowed only for namespace "default"'
  return undefined
}
