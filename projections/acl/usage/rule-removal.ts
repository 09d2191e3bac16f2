// Removes rules from an authorizer, to find those that change no decision.
import { authorizerOf, type Authorizer, type AuthorizerRules } from '../authorizer.js'
import { rulesByScope, type ScopedRules } from '../layer.js'
import type { SourcedRule } from '../merge.js'
import { ruleName, scopeText, type Rule, type Scope, type ScopeName } from '../rules/model.js'
import { decideQuestion, WITNESS } from './decide-question.js'
import type { Question, QuestionAccess } from './question.js'

/** A rule with the scope in which it applies. */
export interface PlacedRule extends SourcedRule, Scope {}

/** Equal for the rules of one source that stand at one place of its text, or have one name. */
export const ruleKey = ({ rule, source }: SourcedRule): string =>
  `${source} ${rule.line}:${rule.column} ${ruleName(rule)}`

export const placedIn = (sets: readonly ScopedRules[]): readonly PlacedRule[] =>
  rulesByScope(sets).flatMap(({ rules, ...scope }) => rules.map(sourced => ({ ...sourced, ...scope })))

/** Returns the rules of an authorizer, those of namespace defaults last. */
export const placedRules = ({ rules }: Authorizer): readonly PlacedRule[] => {
  if (rules === 'everything') return []
  const found = [...placedIn(rules.own), ...placedIn(rules.namespaceDefaults)]
  return [...new Map(found.map(placed => [ruleKey(placed), placed])).values()]
}

/** Compiles the authorizer with some of its rules. */
const reduced = (authorizer: Authorizer, stays: (rule: Rule, source: string) => boolean): Authorizer => {
  const { rules } = authorizer
  if (rules === 'everything') return authorizer
  const reducedSet = (set: ScopedRules): ScopedRules => {
    const kept = (all: readonly Rule[]) => all.filter(rule => stays(rule, set.source ?? ''))
    const blocks = set.rules.blocks.map(block => ({ ...block, rules: kept(block.rules) }))
    return { ...set, rules: { ...set.rules, rules: kept(set.rules.rules), blocks } }
  }
  const left: AuthorizerRules = {
    ...rules,
    own: rules.own.map(reducedSet),
    namespaceDefaults: rules.namespaceDefaults.map(reducedSet)
  }
  return authorizerOf(left)
}

/** Compiles the authorizer without one rule. */
export const withoutRule = (authorizer: Authorizer, removed: SourcedRule): Authorizer => {
  const key = ruleKey(removed)
  const { line } = removed.rule
  return reduced(
    authorizer,
    (rule, source) => rule.line !== line || source !== removed.source || ruleKey({ rule, source }) !== key
  )
}

const isRelated = ({ match, label }: Rule, { segment, extent, access, resource }: Question): boolean => {
  const isWide = access === 'read-all' || (resource === 'intention' && segment === '*')
  if (isWide || access === 'write-prefix') return true
  if (extent !== 'one') return label.startsWith(segment) || (match === 'prefix' && segment.startsWith(label))
  return match === 'prefix' ? segment.startsWith(label) : segment === label
}

/** False only if the rule cannot take part in the decision of a question. */
export const mayDecide = (rule: Rule, question: Question): boolean => {
  const { resource } = question
  // Any rule of a namespace shows it, and an operator sees all.
  if (resource === 'namespace') return true
  const isAbout = rule.resource === resource || (resource === 'intention' && rule.resource === 'service')
  return isAbout && isRelated(rule, question)
}

/** True if names below a prefix, which were not recorded one by one, may be those of a rule. */
export const mayBeBelow = ({ match, label }: Rule, { extent, segment }: Question): boolean =>
  extent !== 'one' && label.startsWith(segment) && (match === 'exact' || label !== segment)

const ACCESSES: readonly QuestionAccess[] = ['read', 'list', 'write', 'write-prefix']

/** The names and namespaces at which a rule decides, if no longer label matches. */
function* questionsOf({ rule, partition, namespace }: PlacedRule): Iterable<Question> {
  const textOf = ({ match, label }: ScopeName): readonly string[] =>
    match === 'exact' ? [label] : [label, `${label}${WITNESS}`]
  const segments = rule.match === 'exact' ? [rule.label] : [rule.label, `${rule.label}${WITNESS}`]
  const resources = rule.resource === 'service' ? (['service', 'intention'] as const) : [rule.resource]
  for (const inPartition of textOf(partition))
    for (const inNamespace of textOf(namespace)) {
      const place = { partition: inPartition, namespace: inNamespace, extent: 'one' } as const
      for (const resource of resources) {
        for (const segment of segments)
          for (const access of ACCESSES) yield { resource, access, segment, ...place }
        yield { resource, access: 'read-all', segment: '', ...place }
        yield { resource, access: 'write-prefix', segment: '', ...place }
      }
      yield { resource: 'intention', access: 'read', segment: '*', ...place }
      yield { resource: 'intention', access: 'write', segment: '*', ...place }
      yield { resource: 'namespace', access: 'read', segment: '', ...place }
      yield { resource: 'namespace', access: 'write', segment: '', ...place }
    }
}

/** True if a question is about one name, which only rules with labels at its beginning decide. */
const isAboutName = ({ resource, access, segment }: Question): boolean =>
  resource !== 'namespace' && !['write-prefix', 'read-all'].includes(access) && segment !== '*'

/**
 * Returns the rule that decides everything as a rule does; undefined if there is none, or only the default policy. Most rules decide some name
 * alone, which a few rules show. Compiling all others for each rule would cost the square of their number.
 */
export const overlapOf = (placed: PlacedRule, authorizer: Authorizer): SourcedRule | undefined => {
  const isRepeatedBy = (some: Authorizer, fewer: Authorizer, isAsked: (question: Question) => boolean) =>
    [...questionsOf(placed)]
      .filter(isAsked)
      .every(one => decideQuestion(some, one).allowed === decideQuestion(fewer, one).allowed)
  const { rule, partition, namespace } = placed
  const above = reduced(
    authorizer,
    ({ resource, label }) => resource === rule.resource && rule.label.startsWith(label)
  )
  const less = withoutRule(above, placed)
  const { because } = less.decide(rule.resource, 'read', rule.label, {
    partition: partition.label,
    namespace: namespace.label
  })
  if (because.kind !== 'rule' || !isRepeatedBy(above, less, isAboutName)) return undefined
  return isRepeatedBy(authorizer, withoutRule(authorizer, placed), () => true) ? because : undefined
}

export const placeText = ({ partition, namespace }: PlacedRule) => ({
  Partition: scopeText(partition),
  Namespace: scopeText(namespace)
})
