import { byText } from '../row-table.js'
import { sortedInSteps } from '../sorted-steps.js'
import { StepPace, type Steps } from '../steps.js'
import type { LayerName } from './authorizer.js'
import { rulesByScope, type ScopedRules } from './layer.js'
import { mergeRules, type MergedRule, type SourcedRule } from './merge.js'
import { ruleName, scopeText, type Level, type RuleResource } from './rules/model.js'
import { sourcesOfLayer, type Names, type Source, type Subject } from './sources.js'

/** The position of a rule: counted from 1, absent for rules without text. */
interface Origin {
  readonly Line?: number
  readonly Column?: number
  readonly Source?: Source
}

export interface EffectiveRule extends Origin {
  /** As in the policy: `key_prefix "app/"`. */
  readonly Text: string
  readonly Resource: RuleResource
  readonly Level: Level
  /** A namespace or partition: a name, or a prefix followed by `*`. */
  readonly Namespace: string
  readonly Partition: string
  /** Of services: the level for their intentions, and its origin if another rule sets it. */
  readonly Intentions?: Level
  readonly IntentionsFrom?: Origin
  /** True for the defaults of the token's namespace, which apply only where no rule of its own does. */
  readonly IsDefault?: true
}

const originIn =
  (sources: ReadonlyMap<string, Source>) =>
  ({ rule, source: key }: SourcedRule): Origin => {
    const source = sources.get(key)
    return {
      ...(rule.line === 0 ? {} : { Line: rule.line, Column: rule.column }),
      ...(source ? { Source: source } : {})
    }
  }

const intentionsOf = (
  { rule, intentions }: MergedRule,
  originOf: (rule: SourcedRule) => Origin
): Pick<EffectiveRule, 'Intentions' | 'IntentionsFrom'> => {
  if (!intentions) return {}
  const isElsewhere = intentions.rule !== rule
  return { Intentions: intentions.level, ...(isElsewhere ? { IntentionsFrom: originOf(intentions) } : {}) }
}

const inOrder = (a: EffectiveRule, b: EffectiveRule): number =>
  byText(a.Partition, b.Partition) || byText(a.Namespace, b.Namespace) || byText(a.Text, b.Text)

function* ofLayer(
  sets: readonly ScopedRules[],
  layer: LayerName,
  originOf: (rule: SourcedRule) => Origin
): Steps<readonly EffectiveRule[]> {
  const pace = new StepPace()
  const found: EffectiveRule[] = []
  for (const { partition, namespace, rules } of rulesByScope(sets)) {
    yield
    for (const merged of mergeRules(rules)) {
      found.push({
        Text: ruleName(merged.rule),
        Resource: merged.rule.resource,
        Level: merged.level,
        ...intentionsOf(merged, originOf),
        Namespace: scopeText(namespace),
        Partition: scopeText(partition),
        ...originOf(merged),
        ...(layer === 'namespace' ? ({ IsDefault: true } as const) : {})
      })
      if (pace.isOver()) yield
    }
  }
  return yield* sortedInSteps(found, inOrder)
}

/**
 * Returns the rules by which an authorizer decides, merged: ordered by layer (the token's own first), partition, namespace and name. Linear in
 * rules and links but for sorting.
 */
export function* effectiveRules(subject: Subject, names: Names): Steps<readonly EffectiveRule[]> {
  const { rules } = subject.authorizer
  if (rules === 'everything') return []
  // The names of the first step.
  const originOfOwn = originIn(sourcesOfLayer(subject, 'token', names))
  const originOfDefaults = originIn(sourcesOfLayer(subject, 'namespace', names))
  return [
    ...(yield* ofLayer(rules.own, 'token', originOfOwn)),
    ...(yield* ofLayer(rules.namespaceDefaults, 'namespace', originOfDefaults))
  ]
}
