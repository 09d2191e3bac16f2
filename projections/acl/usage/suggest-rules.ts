// Suggests the narrowest readable rules that answer the recorded questions as the current rights do.
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { getOrCreate } from '../../maps.js'
import { StepPace, type Steps } from '../../steps.js'
import type { Authorizer, DecisionReason } from '../authorizer.js'
import { ANY_NAMESPACE } from '../layer.js'
import {
  exactly,
  LABELLED,
  type Level,
  type Resource,
  type Rule,
  type RuleResource,
  type Scope
} from '../rules/model.js'
import { CurrentRules } from './current-rules.js'
import { decideQuestion } from './decide-question.js'
import { isAtLeast, levelOf, Needs, placeKey, weaker } from './needs.js'
import { effectiveTenancy, type Question } from './question.js'
import { contains, effectiveScope, isOneTenancy, scopeKey, scopeOf, witnessOf } from './scope.js'
import { parentOf } from './segment-table.js'

/** `exact`: a rule for each name. `prefix`: names with a common prefix share a rule where the current rights cover the prefix. */
export type Generalization = 'exact' | 'prefix'

export interface SuggestedRule extends Scope, Omit<Rule, 'line' | 'column'> {
  /** Names in recorded questions that the rule decides. */
  readonly examples: readonly string[]
}

/** Names below one prefix from which on a person would write the prefix. */
const LEAST_NAMES = 3
const MOST_EXAMPLES = 3

/** The resource whose rules decide about another one. */
const ruleResourceOf = (resource: Resource): RuleResource => (resource === 'intention' ? 'service' : resource)

const isNamed = (name: string): boolean => name !== '' && name !== ANY_NAMESPACE

const isLabelled = (resource: Resource): boolean =>
  resource === 'intention' || LABELLED.some(one => one === resource)

const isAboutEveryIntention = ({ resource, segment }: Question): boolean =>
  resource === 'intention' && segment === '*'

/** True if any rule with an effect in the namespace answers the question. */
const isByAnyRule = (question: Question): boolean =>
  question.resource === 'namespace' || (isAboutEveryIntention(question) && question.access === 'read')

type DecidingRule = Extract<DecisionReason, { readonly kind: 'rule' }>

class RuleSuggestion {
  readonly #needs = new Map<string, Needs>()
  readonly #current: CurrentRules

  constructor(
    private readonly authorizer: Authorizer,
    private readonly generalization: Generalization,
    private readonly home: Tenancy
  ) {
    this.#current = new CurrentRules(authorizer)
  }

  /** Notes what an allowed question needs. */
  add(question: Question): void {
    const { allowed, because } = decideQuestion(this.authorizer, question)
    if (!allowed || because.kind !== 'rule') return
    if (isByAnyRule(question)) return this.#addRule(question, because)
    const { access, extent, segment, resource } = question
    for (const scope of this.#scopesOf(question, because)) {
      if (!decideQuestion(this.authorizer, { ...question, ...witnessOf(scope) }).allowed) continue
      const needs = this.#of(resource, scope)
      if (access === 'read-all') return needs.add('prefix', '', 'read')
      const level = access === 'write-prefix' ? 'write' : access
      if (isAboutEveryIntention(question)) return needs.add('prefix', '', level)
      const isPrefix = extent !== 'one' || access === 'write-prefix'
      const match = isPrefix && isLabelled(resource) ? 'prefix' : 'exact'
      needs.add(match, isLabelled(resource) ? segment : '', level)
      needs.names.add(segment)
      return
    }
  }

  /** Notes the names of the rule that answers a question which any rule could answer: in its tenancy, if they are not denied there. */
  #addRule(question: Question, because: DecidingRule): void {
    const { rule } = because
    const isStronger = rule.resource === 'namespace' || rule.resource === 'operator'
    const level = isStronger && question.access === 'write' ? 'write' : 'read'
    const ofService: readonly Resource[] =
      question.resource === 'intention' ? ['intention'] : ['service', 'intention']
    const resources = rule.resource === 'service' ? ofService : [rule.resource]
    for (const scope of this.#scopesOf(question, because))
      for (const resource of resources)
        if (isAtLeast(levelOf(this.authorizer, resource, rule, scope), level))
          return this.#of(resource, scope).add(rule.match, rule.label, level)
  }

  /** The scopes in which a rule can answer a question, best first: its tenancy, else those of the rule that answers it now. */
  *#scopesOf({ resource, access, ...asked }: Question, because: DecidingRule): Iterable<Scope> {
    const { partition, namespace } = effectiveTenancy(because.rule.resource, asked)
    const isOfAny = resource === 'namespace' && because.rule.resource !== 'namespace'
    const isInAnyNamespace = namespace === ANY_NAMESPACE && access !== 'read-all' && !isOfAny
    const best = { partition, namespace: isInAnyNamespace ? 'default' : namespace }
    const isOwn = isNamed(best.partition) && isNamed(best.namespace) && this.#mayOwn(because.rule, best)
    if (isOwn) yield scopeOf(best)
    // Namespace defaults continue to answer what they answer now.
    if (because.layer === 'namespace') return
    for (const scope of this.#current.scopesOf(because)) {
      const isThere = isInAnyNamespace || contains(scope.namespace, exactly(namespace))
      if (!isThere || !contains(scope.partition, exactly(partition))) continue
      if (isNamed(partition)) yield { ...scope, partition: exactly(partition) }
      yield scope
    }
  }

  /** True if a policy of the token's namespace can have the rule. Those of `default` can have rules for other namespaces. */
  #mayOwn({ resource }: Rule, { namespace }: Tenancy): boolean {
    const { namespace: own } = this.home
    return own === DEFAULT_TENANCY.namespace || (own === namespace && resource !== 'namespace')
  }

  *rules(): Steps<readonly SuggestedRule[]> {
    for (const needs of this.#needs.values()) {
      if (this.generalization === 'prefix') this.#generalize(needs)
      yield
    }
    yield* this.#noteHidden()
    const rules: SuggestedRule[] = []
    for (const needs of this.#needs.values()) {
      const { resource, scope } = needs
      if (resource === 'intention') {
        if (!this.#needs.has(`service ${scopeKey(scope)}`))
          rules.push(...(yield* this.#rulesOf('service', new Needs('service', scope), needs)))
      } else {
        const intentions =
          resource === 'service' ? this.#needs.get(`intention ${scopeKey(scope)}`) : undefined
        rules.push(...(yield* this.#rulesOf(resource, needs, intentions ?? new Needs('intention', scope))))
      }
    }
    return rules
  }

  #of(resource: Resource, scope: Scope): Needs {
    const effective = effectiveScope(resource, scope)
    return getOrCreate(
      this.#needs,
      `${resource} ${scopeKey(effective)}`,
      () => new Needs(resource, effective)
    )
  }

  /** Notes the places where the suggestion needs rules that deny. */
  *#noteHidden(): Steps<void> {
    const suggested = [...this.#needs.values()].flatMap(({ resource, scope, regions }) => {
      const places = [...regions.values()]
      // Rules for one tenancy are the first to decide there. Each of them shows its namespace.
      const isFirst = isOneTenancy(scope) && resource !== 'node'
      const granted = isFirst ? places.slice(0, 1) : places
      return granted.map(place => ({ resource: ruleResourceOf(resource), scope, place }))
    })
    for (const { rule, ...scope } of yield* this.#current.hiding(suggested))
      this.#of(rule.resource, scope).decided.set(placeKey(rule), rule)
  }

  /** Adds prefixes that several names share and that the current rights cover. */
  #generalize(needs: Needs): void {
    const { resource, scope, regions } = needs
    for (let isChanged = true; isChanged;) {
      isChanged = false
      const groups = new Map<string, { readonly level: Level; readonly parent: string; count: number }>()
      for (const { label, level } of regions.values()) {
        const parent = parentOf(label)
        if (parent === '') continue
        const group = getOrCreate(groups, `${level} ${parent}`, () => ({ level, parent, count: 0 }))
        group.count++
      }
      for (const { level, parent, count } of groups.values()) {
        const place = { match: 'prefix', label: parent } as const
        if (count < LEAST_NAMES || isAtLeast(needs.levelAt(place), level)) continue
        if (!isAtLeast(levelOf(this.authorizer, resource, place, scope), level)) continue
        needs.add('prefix', parent, level)
        isChanged = true
      }
    }
  }

  /** The rules for one resource in one scope: at each needed name, and at each name below where the current rights differ. */
  *#rulesOf(resource: RuleResource, own: Needs, intentions: Needs): Steps<readonly SuggestedRule[]> {
    const pace = new StepPace()
    const { scope, decided } = own
    const { authorizer } = this
    const regions = [...own.regions.values(), ...intentions.regions.values()]
    const places = new Map(decided)
    for (const { match, label } of regions) places.set(placeKey({ match, label }), { match, label })
    for (const { rule } of this.#current.all()) {
      if (rule.resource === resource && regions.some(region => contains(region, rule)))
        places.set(placeKey(rule), rule)
      if (pace.isOver()) yield
    }
    const inOrder = [...places].toSorted(
      ([, a], [, b]) =>
        a.label.length - b.label.length || Number(a.match === 'exact') - Number(b.match === 'exact')
    )
    const rules: SuggestedRule[] = []
    for (const [key, { match, label }] of inOrder) {
      if (pace.isOver()) yield
      const place = { match, label }
      const level = weaker(own.levelAt(place), levelOf(authorizer, resource, place, scope))
      const ofIntentions =
        resource === 'service'
          ? weaker(intentions.levelAt(place), levelOf(authorizer, 'intention', place, scope))
          : null
      const above = rules.findLast(rule => rule.match === 'prefix' && contains(rule, place))
      const isGiven = above !== undefined || !decided.has(key)
      if (
        isGiven &&
        level === (above?.level ?? 'deny') &&
        (ofIntentions ?? 'deny') === (above?.intentions ?? 'deny')
      )
        continue
      const names = [...own.names, ...intentions.names]
      const examples = names.filter(name => contains(place, { match: 'exact', label: name }))
      rules.push({
        resource,
        ...place,
        level,
        intentions: ofIntentions,
        examples: examples.slice(0, MOST_EXAMPLES),
        ...scope
      })
    }
    return rules
  }
}

/** Suggests rules of a token in the tenancy `home` for questions. Cost: the questions, and for each needed name the rules and the other names. */
export function* suggestRules(
  authorizer: Authorizer,
  questions: Iterable<Question>,
  generalization: Generalization,
  home: Tenancy
): Steps<readonly SuggestedRule[]> {
  const suggestion = new RuleSuggestion(authorizer, generalization, home)
  const pace = new StepPace()
  for (const question of questions) {
    suggestion.add(question)
    if (pace.isOver()) yield
  }
  return yield* suggestion.rules()
}
