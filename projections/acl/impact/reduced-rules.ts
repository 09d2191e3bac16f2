// Reduces rules to those that matter for a change of policies, so that tokens whose other rules differ are compared once.
import type { Tenancy } from '../../../events/envelope.js'
import { lowerBound } from '../../../events/sorted-search.js'
import { getOrCreate } from '../../maps.js'
import { spaceOf } from '../../row-table.js'
import { collectRules, policyRules, type LinkTargets, type PolicyContent } from '../collect-rules.js'
import type { ScopedRules } from '../layer.js'
import { LABELLED, type LabelledResource, type Rule, type RuleSet } from '../rules/model.js'
import { ANY_NAMESPACE } from '../authorizer.js'
import type { RightsSources } from '../resolver.js'
import type { ComparedChange } from './compared-change.js'
import { contentOf } from './compared-rules.js'
import type { Grants } from './grants.js'

/** Stands for rules that are left out: any rule of a namespace lets its token read the namespace. */
const MARKER = { match: 'exact', label: '\0', level: 'read', intentions: null, line: 0, column: 0 } as const

const isLabelled = (resource: string): resource is LabelledResource => LABELLED.some(one => one === resource)

/** The labels of rules, to find whether one of these and another rule match some name in common. */
class RuleLabels {
  readonly #labels: readonly string[]
  readonly #hasAny: boolean
  /** Labels of prefix rules, none of which begins with another. */
  readonly #prefixes: string[] = []

  constructor(rules: readonly Rule[]) {
    // The default order is that of `<`, which prefixes need.
    this.#labels = [...new Set(rules.map(({ label }) => label))].toSorted()
    this.#hasAny = this.#labels.includes(ANY_NAMESPACE)
    const prefixes = new Set(rules.flatMap(({ match, label }) => (match === 'prefix' ? [label] : [])))
    for (const label of [...prefixes].toSorted())
      if (this.#prefixes.length === 0 || !label.startsWith(this.#prefixes.at(-1) ?? ''))
        this.#prefixes.push(label)
  }

  meet({ match, label }: Rule): boolean {
    if (label === ANY_NAMESPACE || this.#hasAny) return true
    const next = this.#labels[lowerBound(this.#labels, other => other < label)]
    if (next === label || (match === 'prefix' && next?.startsWith(label))) return true
    const before = this.#prefixes[lowerBound(this.#prefixes, other => other <= label) - 1]
    return before !== undefined && label.startsWith(before)
  }
}

/** Returns the rules, and those of blocks, with the place of a block as text. */
const placesOf = ({
  rules,
  blocks
}: RuleSet): readonly (readonly [place: string, rules: readonly Rule[]])[] => [
  ['', rules],
  ...blocks.map(block => [JSON.stringify([block.partition, block.namespace]), block.rules] as const)
]

const contents = (policy: PolicyContent | undefined, home: Tenancy): ReadonlyMap<string, Rule> =>
  new Map(
    policy &&
      placesOf(policyRules(policy, home)).flatMap(([place, rules]) =>
        rules.map(rule => [`${place} ${policy.Datacenters.join()} ${contentOf(rule)}`, rule] as const)
      )
  )

/** Returns the rules that only one state of the changed policies has. */
const changedRules = ({ before, after }: ComparedChange, ids: readonly string[]): readonly Rule[] =>
  ids.flatMap(id => {
    const states = [before, after].map(({ policies }) => {
      const row = policies.get(id)
      return row ? contents(row.policy, row.tenancy) : new Map<string, Rule>()
    })
    const [older = new Map<string, Rule>(), newer = new Map<string, Rule>()] = states
    return [
      ...[...older].flatMap(([content, rule]) => (newer.has(content) ? [] : [rule])),
      ...[...newer].flatMap(([content, rule]) => (older.has(content) ? [] : [rule]))
    ]
  })

/**
 * The rules of tokens without those that decide alike before and after: rules of other resources, and rules that match none of the names that
 * a changed rule matches. A rule that denies, or that forbids writing all names below one, counts on other names, too: with one of
 * those, the rules of a token cannot be reduced.
 */
export class ReducedRules {
  readonly #changed = new Map<LabelledResource, RuleLabels>()
  readonly #byContent = new Map<string, RuleSet>()
  readonly #numbers = new Map<RuleSet, number>()
  readonly #ofPolicies = new Map<PolicyContent, RuleSet>()
  /** Sets without a rule that counts on other names. */
  readonly #inexact = new Set<RuleSet>()
  readonly #marker: Rule
  readonly #targets: Pick<LinkTargets, 'rulesOf' | 'select'>

  private constructor(changed: readonly Rule[], unchanged: LabelledResource) {
    for (const resource of LABELLED) {
      const rules = changed.filter(rule => rule.resource === resource)
      if (rules.length > 0) this.#changed.set(resource, new RuleLabels(rules))
    }
    this.#marker = { resource: unchanged, ...MARKER }
    this.#targets = {
      select: rules => this.#reduced(rules),
      rulesOf: (policy, home) =>
        getOrCreate(this.#ofPolicies, policy, () => this.#reduced(policyRules(policy, home)))
    }
  }

  /** Returns undefined for changes of other resources than policies, and of rules on services, of which the rules on intentions follow. */
  static of(change: ComparedChange): ReducedRules | undefined {
    if (!change.policies) return undefined
    const changed = changedRules(change, change.policies)
    const unchanged = LABELLED.find(
      resource => resource !== 'service' && changed.every(rule => rule.resource !== resource)
    )
    const isOfServices = changed.some(({ resource }) => resource === 'service')
    return unchanged === undefined || isOfServices ? undefined : new ReducedRules(changed, unchanged)
  }

  /** Returns the reduced rules of grants; undefined if they would not decide alike, or with defaults of the namespace. */
  of(
    { grants, tenancy }: Grants,
    { policies, roles, namespaces }: RightsSources,
    datacenter: string
  ): readonly ScopedRules[] | undefined {
    if (namespaces.get(tenancy)?.namespace.ACLs) return undefined
    const { sets } = collectRules(grants, tenancy, { policies, roles, datacenter, ...this.#targets })
    return sets.some(({ rules }) => this.#inexact.has(rules)) ? undefined : sets
  }

  /** Returns a text that is the same for sets with the same rules. */
  textOf(sets: readonly ScopedRules[]): string {
    const parts = sets.map(({ rules, tenancy }) => `${this.#numbers.get(rules)} ${spaceOf(tenancy)}`)
    return [...new Set(parts)].toSorted().join()
  }

  /** Returns the same object for the same rules. */
  #reduced(full: RuleSet): RuleSet {
    const reduced = {
      rules: this.#kept(full.rules),
      blocks: full.blocks.map(block => ({ ...block, rules: this.#kept(block.rules) })),
      warnings: []
    }
    const isInexact = placesOf(full).some(([, rules]) =>
      rules.some(rule => this.#countsOnOtherNames(rule) && !this.#isKept(rule))
    )
    const places = placesOf(reduced).map(([place, rules]) => [place, rules.map(contentOf).toSorted()])
    const known = getOrCreate(this.#byContent, JSON.stringify([isInexact, ...places]), () => reduced)
    getOrCreate(this.#numbers, known, () => this.#numbers.size)
    if (isInexact) this.#inexact.add(known)
    return known
  }

  #kept(rules: readonly Rule[]): readonly Rule[] {
    const kept = rules.filter(rule => this.#isKept(rule))
    return kept.length === rules.length ? kept : [...kept, this.#marker]
  }

  #isKept(rule: Rule): boolean {
    const { resource, label } = rule
    if (!isLabelled(resource)) return true
    const changed = this.#changed.get(resource)
    // The rule on all services decides on the jobs of a namespace.
    if (label === '') return changed !== undefined || resource === 'service'
    return changed?.meet(rule) === true
  }

  #countsOnOtherNames({ resource, level }: Rule): boolean {
    return level === 'deny' || (level !== 'write' && isLabelled(resource) && this.#changed.has(resource))
  }
}
