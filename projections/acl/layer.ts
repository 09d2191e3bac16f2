import { mergeRules, type MergedRule, type SourcedRule } from './merge.js'
import {
  RuleIndex,
  type Access,
  type DecidingRule,
  type IndexedRule,
  LabelTable,
  grants
} from './rule-index.js'
import {
  exactly,
  SCOPES,
  UNLABELLED,
  type Resource,
  type Match,
  type RuleSet,
  type Scope,
  type ScopeName
} from './rules/model.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'

export type { Resource } from './rules/model.js'

/** `read-all`: reading every resource of a kind. `any`: any access to any resource of the tenancy. */
export type RequestedAccess = Access | 'read-all' | 'any'

/** Stands for any namespace of the partition. */
export const ANY_NAMESPACE = '*'

export interface ScopedRules {
  readonly rules: RuleSet
  readonly tenancy: Tenancy
  /** A readable origin: `policy "web"`. */
  readonly source?: string
}

/**
 * A layer by partition and namespace (tenancy.md §9.2, §9.4), built once. A decision costs the look-ups in the scopes that match its partition and
 * namespace, from the most to the least specific one until one has a rule, and allocates nothing (except for any namespace).
 */
export class Layer {
  readonly #partitions: LabelTable<LabelTable<ScopeRules>>
  readonly #scopes: readonly (Scope & { readonly rules: ScopeRules })[]

  constructor(sets: readonly ScopedRules[]) {
    this.#scopes = rulesByScope(sets).map(scope => ({ ...scope, rules: new ScopeRules(scope.rules) }))
    this.#partitions = new LabelTable(
      grouped(this.#scopes, scope => scope.partition).map(([{ match, label }, scopes]) => [
        match,
        label,
        new LabelTable(scopes.map(({ namespace, rules }) => [namespace.match, namespace.label, rules]))
      ])
    )
  }

  deciding(
    resource: Resource,
    access: RequestedAccess,
    segment: string,
    tenancy: Tenancy
  ): DecidingRule | undefined {
    const scope = SCOPES[resource]
    const partition = scope === 'cluster' ? DEFAULT_TENANCY.partition : tenancy.partition
    const namespace = scope === 'namespace' ? tenancy.namespace : DEFAULT_TENANCY.namespace
    if (namespace === ANY_NAMESPACE && access !== 'read-all' && access !== 'any')
      return this.#decidingAnywhere(resource, access, segment, partition)
    for (let outer = this.#partitions.first(partition); outer !== undefined; outer = outer.next)
      for (let inner = outer.value.first(namespace); inner !== undefined; inner = inner.next) {
        const found = inner.value.deciding(resource, access, segment)
        if (found !== undefined) return found
      }
    return undefined
  }

  /** Granted if any namespace grants it; a denial of nodes in `default` is for all (spec: tenancy.md §9.2). */
  #decidingAnywhere(
    resource: Resource,
    access: Access,
    segment: string,
    partition: string
  ): DecidingRule | undefined {
    const inDefault = this.deciding(resource, access, segment, { partition, namespace: 'default' })
    if (inDefault !== undefined && (resource === 'node' || grants(inDefault.level, access))) return inDefault
    for (const scope of this.#scopes) {
      if (!matches(scope.partition, partition)) continue
      const found =
        scope.namespace.match === 'exact'
          ? this.deciding(resource, access, segment, { partition, namespace: scope.namespace.label })
          : scope.rules.deciding(resource, access, segment)
      if (found !== undefined && grants(found.level, access)) return found
    }
    return inDefault
  }
}

const matches = ({ match, label }: ScopeName, name: string): boolean =>
  match === 'exact' ? name === label : name.startsWith(label)

/** The rules for one namespace of one partition, or for all with a common prefix. */
interface RulesOfScope extends Scope {
  readonly rules: readonly SourcedRule[]
}

/** Groups the rules of all sets by scope. Plain rules apply to the tenancy of their policy. */
export function rulesByScope(sets: readonly ScopedRules[]): readonly RulesOfScope[] {
  const parts = sets.flatMap(({ rules: { rules, blocks }, tenancy, source = '' }) => [
    { partition: exactly(tenancy.partition), namespace: exactly(tenancy.namespace), rules, source },
    ...blocks.map(block => ({ ...block, partition: block.partition ?? exactly(tenancy.partition), source }))
  ])
  return grouped(parts, part => part.partition).flatMap(([partition, ofPartition]) =>
    grouped(ofPartition, part => part.namespace).map(([namespace, ofNamespace]) => ({
      partition,
      namespace,
      rules: ofNamespace.flatMap(({ rules, source }) => rules.map(rule => ({ rule, source })))
    }))
  )
}

function grouped<T>(items: readonly T[], nameOf: (item: T) => ScopeName): readonly [ScopeName, T[]][] {
  const groups: Record<Match, Map<string, [ScopeName, T[]]>> = { exact: new Map(), prefix: new Map() }
  for (const item of items) {
    const name = nameOf(item)
    const group = groups[name.match].get(name.label)
    if (group === undefined) groups[name.match].set(name.label, [name, [item]])
    else group[1].push(item)
  }
  return [...groups.exact.values(), ...groups.prefix.values()]
}

// The merged rules of one scope: a namespace, or all namespaces of a prefix.

/** The index of a resource is built at its first look-up. No other look-up allocates. */
class ScopeRules {
  readonly #rules: Partial<Record<Resource, IndexedRule[]>> = {}
  readonly #indexes: Partial<Record<Resource, RuleIndex>> = {}
  readonly #anyAccess: DecidingRule | undefined

  constructor(rules: Iterable<SourcedRule>) {
    const merged = mergeRules(rules)
    for (const rule of merged) {
      const { resource, match, label } = rule.rule
      ;(this.#rules[resource] ??= []).push({ match, label, deciding: rule })
      if (rule.intentions !== null)
        (this.#rules.intention ??= []).push({ match, label, deciding: rule.intentions })
    }
    this.#anyAccess = firstGranting(merged)
  }

  deciding(resource: Resource, access: RequestedAccess, segment: string): DecidingRule | undefined {
    if (access === 'any') return this.#anyAccess
    const index = this.#indexes[resource] ?? this.#build(resource)
    if (index === undefined) return undefined
    if (access === 'read-all') return index.forAll()
    if (access === 'write-prefix') return index.forTree(segment)
    if (resource === 'intention' && segment === '*') return index.forEveryIntention(access)
    return index.forName(WITHOUT_NAMES.has(resource) ? '' : segment)
  }

  #build(resource: Resource): RuleIndex | undefined {
    const rules = this.#rules[resource]
    return rules && (this.#indexes[resource] = new RuleIndex(rules))
  }
}

const WITHOUT_NAMES: ReadonlySet<Resource> = new Set([...UNLABELLED, 'namespace'])

function firstGranting(rules: readonly MergedRule[]): DecidingRule | undefined {
  for (const rule of rules) {
    if (rule.level !== 'deny') return rule
    if (rule.intentions !== null && rule.intentions.level !== 'deny') return rule.intentions
  }
  return undefined
}
