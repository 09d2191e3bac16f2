// All merged rules that apply in one scope: a namespace, or all namespaces of a prefix.
import { mergeRules, type MergedRule, type SourcedRule } from './merge.js'
import { RuleIndex, type Access, type DecidingRule, type IndexedRule } from './rule-index.js'
import { LABELLED, UNLABELLED, type RuleResource } from './rules/model.js'

/** What can be asked for. `intention` has no rules of its own, `namespace` is the right on a namespace itself. */
export type Resource = RuleResource | 'intention'

/** Built once. Every question allocates nothing. */
export class ScopeRules {
  readonly #indexes: Readonly<Partial<Record<Resource, RuleIndex>>>
  readonly #anyAccess: DecidingRule | undefined

  constructor(rules: Iterable<SourcedRule>) {
    const merged = mergeRules(rules)
    const byResource: Partial<Record<Resource, IndexedRule[]>> = {}
    for (const rule of merged) {
      const { resource, match, label } = rule.rule
      ;(byResource[resource] ??= []).push({ match, label, deciding: rule })
      if (rule.intentions !== null)
        (byResource.intention ??= []).push({ match, label, deciding: rule.intentions })
    }
    const indexes: Partial<Record<Resource, RuleIndex>> = {}
    for (const resource of RESOURCES) {
      const found = byResource[resource]
      if (found !== undefined) indexes[resource] = new RuleIndex(found)
    }
    this.#indexes = indexes
    this.#anyAccess = firstGranting(merged)
  }

  /** The rule that decides; undefined if this scope has none for the resource and segment. */
  deciding(resource: Resource, access: Access, segment: string): DecidingRule | undefined {
    const index = this.#indexes[resource]
    if (index === undefined) return undefined
    if (access === 'write-prefix') return index.forTree(segment)
    if (resource === 'intention' && segment === '*') return index.forEveryIntention(access)
    return index.forName(hasSegment(resource) ? segment : '')
  }

  /** The rule that decides on reading all things of a resource. */
  decidingAll(resource: Resource): DecidingRule | undefined {
    return this.#indexes[resource]?.forAll()
  }

  /** Some rule that grants any access to anything. */
  anyAccess(): DecidingRule | undefined {
    return this.#anyAccess
  }
}

const RESOURCES: readonly Resource[] = [...UNLABELLED, ...LABELLED, 'intention', 'namespace']

/** Whether rules of the resource have labels; the segment of the others is ignored. */
const hasSegment = (resource: Resource): boolean =>
  resource !== 'acl' && resource !== 'keyring' && resource !== 'operator' && resource !== 'namespace'

function firstGranting(rules: readonly MergedRule[]): DecidingRule | undefined {
  for (const rule of rules) {
    if (rule.level !== 'deny') return rule
    if (rule.intentions !== null && rule.intentions.level !== 'deny') return rule.intentions
  }
  return undefined
}
