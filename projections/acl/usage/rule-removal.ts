// Removes rules from an authorizer, to find those that change no decision.
import { authorizerOf, type Authorizer, type AuthorizerRules } from '../authorizer.js'
import { rulesByScope, type ScopedRules } from '../layer.js'
import type { SourcedRule } from '../merge.js'
import { ruleName, scopeText, type Rule, type RuleSet, type ScopeName } from '../rules/model.js'
import { decideQuestion, WITNESS } from './decide-question.js'
import type { Question, QuestionAccess } from './question.js'

/** A rule with the scope in which it applies. */
export interface PlacedRule extends SourcedRule {
  readonly partition: ScopeName
  readonly namespace: ScopeName
}

/** Equal for the rules of one source that stand at one place of its text, or have one name. */
export const ruleKey = ({ rule, source }: SourcedRule): string =>
  `${source} ${rule.line}:${rule.column} ${ruleName(rule)}`

/** Returns the rules of an authorizer, those of namespace defaults last. */
export const placedRules = ({ rules }: Authorizer): readonly PlacedRule[] => {
  if (rules === 'everything') return []
  const found = [...rulesByScope(rules.own), ...rulesByScope(rules.namespaceDefaults)].flatMap(
    ({ partition, namespace, rules: inScope }) =>
      inScope.map(sourced => ({ ...sourced, partition, namespace }))
  )
  return [...new Map(found.map(placed => [ruleKey(placed), placed])).values()]
}

const setWithout = (set: ScopedRules, key: string): ScopedRules => {
  const { source = '' } = set
  const stays = (rule: Rule): boolean => ruleKey({ rule, source }) !== key
  const rules: RuleSet = {
    ...set.rules,
    rules: set.rules.rules.filter(stays),
    blocks: set.rules.blocks.map(block => ({ ...block, rules: block.rules.filter(stays) }))
  }
  return { ...set, rules }
}

/** Compiles the authorizer without one rule. */
export const withoutRule = (authorizer: Authorizer, removed: SourcedRule): Authorizer => {
  const { rules } = authorizer
  if (rules === 'everything') return authorizer
  const key = ruleKey(removed)
  const left: AuthorizerRules = {
    ...rules,
    own: rules.own.map(set => (set.source === removed.source ? setWithout(set, key) : set)),
    namespaceDefaults: rules.namespaceDefaults.map(set =>
      set.source === removed.source ? setWithout(set, key) : set
    )
  }
  return authorizerOf(left)
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

/** True if a question without the rule has, or may have, another answer. Names below a prefix that were not recorded one by one may be those of the rule. */
export const isChanged = (
  { rule }: SourcedRule,
  question: Question,
  before: Authorizer,
  after: Authorizer
): boolean => {
  const isBelow = question.extent !== 'one' && rule.label.startsWith(question.segment)
  if (isBelow && (rule.match === 'exact' || rule.label !== question.segment)) return true
  return decideQuestion(before, question).allowed !== decideQuestion(after, question).allowed
}

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

/** Returns the rule that decides everything as a rule does; undefined if there is none, or only the default policy. */
export const overlapOf = (placed: PlacedRule, authorizer: Authorizer): SourcedRule | undefined => {
  const without = withoutRule(authorizer, placed)
  for (const question of questionsOf(placed))
    if (decideQuestion(authorizer, question).allowed !== decideQuestion(without, question).allowed)
      return undefined
  const { rule, partition, namespace } = placed
  const { because } = without.decide(rule.resource, 'read', rule.label, {
    partition: partition.label,
    namespace: namespace.label
  })
  return because.kind === 'rule' ? because : undefined
}

export const placeText = ({ partition, namespace }: PlacedRule) => ({
  Partition: scopeText(partition),
  Namespace: scopeText(namespace)
})
