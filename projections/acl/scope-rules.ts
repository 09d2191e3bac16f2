// The merged rules of one scope: a namespace, or all namespaces of a prefix.
import { mergeRules, type MergedRule, type SourcedRule } from './merge.js'
import { RuleIndex, type Access, type DecidingRule, type IndexedRule } from './rule-index.js'
import { LABELLED, UNLABELLED, type RuleResource } from './rules/model.js'

/** `intention` has no rules of its own, `namespace` is the permission on a namespace itself. */
export type Resource = RuleResource | 'intention'

/** Built once. No look-up allocates. */
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

  deciding(resource: Resource, access: Access, segment: string): DecidingRule | undefined {
    const index = this.#indexes[resource]
    if (index === undefined) return undefined
    if (access === 'write-prefix') return index.forTree(segment)
    if (resource === 'intention' && segment === '*') return index.forEveryIntention(access)
    return index.forName(hasSegment(resource) ? segment : '')
  }

  decidingAll(resource: Resource): DecidingRule | undefined {
    return this.#indexes[resource]?.forAll()
  }

  anyAccess(): DecidingRule | undefined {
    return this.#anyAccess
  }
}

const RESOURCES: readonly Resource[] = [...UNLABELLED, ...LABELLED, 'intention', 'namespace']

/** The segment of resources without labels is ignored. */
const hasSegment = (resource: Resource): boolean =>
  resource !== 'acl' && resource !== 'keyring' && resource !== 'operator' && resource !== 'namespace'

function firstGranting(rules: readonly MergedRule[]): DecidingRule | undefined {
  for (const rule of rules) {
    if (rule.level !== 'deny') return rule
    if (rule.intentions !== null && rule.intentions.level !== 'deny') return rule.intentions
  }
  return undefined
}
