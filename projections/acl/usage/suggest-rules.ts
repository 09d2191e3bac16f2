// Suggests the narrowest readable rules that answer the recorded questions as the current rights do.
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { getOrCreate } from '../../maps.js'
import { spaceOf } from '../../row-table.js'
import { StepPace, type Steps } from '../../steps.js'
import { compileAuthorizer, type Authorizer } from '../authorizer.js'
import type { ScopedRules } from '../layer.js'
import {
  LABELLED,
  type Level,
  type Match,
  type Resource,
  type Rule,
  type RuleResource
} from '../rules/model.js'
import { decideQuestion, WITNESS } from './decide-question.js'
import { effectiveTenancy, type Question } from './question.js'
import { placedRules } from './rule-removal.js'
import { parentOf } from './segment-table.js'

/** `exact`: a rule for each name. `prefix`: names with a common prefix share a rule where the current rights cover the prefix. */
export type Generalization = 'exact' | 'prefix'

export interface SuggestedRule extends Tenancy, Omit<Rule, 'line' | 'column'> {
  /** Names in recorded questions that the rule decides. */
  readonly examples: readonly string[]
}

export interface Suggestion<Asked extends Question> {
  readonly rules: readonly SuggestedRule[]
  /**
   * Questions that would be denied: about all namespaces at once, or reads of a namespace or of all its intentions that are allowed by a rule for
   * several namespaces, which a rule for this one replaces at its own label. A rule for this one alone would grant more.
   */
  readonly uncovered: readonly Asked[]
}

/** Names or prefixes that need a level. */
type Region = Pick<Rule, 'match' | 'label' | 'level'>

const LEVELS: readonly Level[] = ['deny', 'read', 'list', 'write']
const strengthOf = (level: Level): number => LEVELS.indexOf(level)
const weaker = (a: Level, b: Level): Level => (strengthOf(a) < strengthOf(b) ? a : b)
const stronger = (a: Level, b: Level): Level => (strengthOf(a) < strengthOf(b) ? b : a)

/** Names below one prefix from which on a person would write the prefix. */
const LEAST_NAMES = 3
const MOST_EXAMPLES = 3

const contains = (outer: Pick<Region, 'match' | 'label'>, inner: Pick<Region, 'match' | 'label'>): boolean =>
  outer.match === 'prefix'
    ? inner.label.startsWith(outer.label)
    : inner.match === 'exact' && inner.label === outer.label

/** Names in questions about one resource in one tenancy. */
class Needs {
  readonly regions = new Map<string, Region>()
  readonly names = new Set<string>()

  constructor(
    readonly resource: Resource,
    readonly tenancy: Tenancy
  ) {}

  add(match: Match, label: string, level: Level): void {
    const key = `${match} ${label}`
    const known = this.regions.get(key)
    this.regions.set(key, { match, label, level: known ? stronger(known.level, level) : level })
  }

  /** The level that the questions need at a name, or at all names with a prefix. */
  levelAt(place: Pick<Region, 'match' | 'label'>): Level {
    let level: Level = 'deny'
    for (const region of this.regions.values())
      if (contains(region, place)) level = stronger(level, region.level)
    return level
  }
}

/** The level of the current rights at a name, or below a prefix. */
const currentLevel = (
  authorizer: Authorizer,
  resource: Resource,
  { match, label }: Pick<Region, 'match' | 'label'>,
  tenancy: Tenancy
): Level => {
  const name = match === 'exact' ? label : `${label}${WITNESS}`
  const accesses = resource === 'key' ? (['write', 'list', 'read'] as const) : (['write', 'read'] as const)
  return accesses.find(access => authorizer.decide(resource, access, name, tenancy).allowed) ?? 'deny'
}

const isLabelled = (resource: Resource): boolean =>
  resource === 'intention' || LABELLED.some(one => one === resource)

class RuleSuggestion {
  readonly #needs = new Map<string, Needs>()

  constructor(
    private readonly authorizer: Authorizer,
    private readonly generalization: Generalization
  ) {}

  /** Notes the level that an allowed question needs. */
  add(question: Question): void {
    const { access, extent, segment, resource } = question
    const tenancy = this.#tenancyOf(question)
    const { allowed, because } = decideQuestion(this.authorizer, question)
    if (!allowed) return
    if (!tenancy) return
    const isByOther =
      resource === 'namespace' || (resource === 'intention' && segment === '*' && access === 'read')
    if (isByOther && because.kind === 'rule') {
      const { rule } = because
      // A stronger rule with the same label may deny the service, but not its intentions.
      const isOfIntentions =
        resource === 'intention' || currentLevel(this.authorizer, rule.resource, rule, tenancy) === 'deny'
      const level = rule.resource === 'namespace' || rule.resource === 'operator' ? access : 'read'
      const target = isOfIntentions && rule.resource === 'service' ? 'intention' : rule.resource
      this.#of(target, tenancy).add(rule.match, rule.label, level === 'write' ? 'write' : 'read')
      return
    }
    const needs = this.#of(resource, tenancy)
    if (access === 'read-all') return needs.add('prefix', '', 'read')
    const level = access === 'write-prefix' ? 'write' : access
    if (resource === 'intention' && segment === '*') return needs.add('prefix', '', level)
    const isPrefix = extent !== 'one' || access === 'write-prefix'
    needs.add(
      isPrefix && isLabelled(resource) ? 'prefix' : 'exact',
      isLabelled(resource) ? segment : '',
      level
    )
    needs.names.add(segment)
  }

  *rules(): Steps<readonly SuggestedRule[]> {
    const rules: SuggestedRule[] = []
    for (const needs of this.#needs.values()) {
      if (this.generalization === 'prefix') this.#generalize(needs)
      yield
    }
    for (const needs of this.#needs.values()) {
      const { resource, tenancy } = needs
      if (resource === 'intention') {
        if (!this.#needs.has(`service ${spaceOf(tenancy)}`))
          rules.push(...(yield* this.#rulesOf('service', new Needs('service', tenancy), needs)))
      } else {
        const intentions =
          resource === 'service' ? this.#needs.get(`intention ${spaceOf(tenancy)}`) : undefined
        rules.push(...(yield* this.#rulesOf(resource, needs, intentions ?? new Needs('intention', tenancy))))
      }
    }
    return rules
  }

  /** The tenancy in which a rule answers a question; undefined for questions about all namespaces. */
  #tenancyOf({ resource, access, segment, partition, namespace }: Question): Tenancy | undefined {
    if (partition === '' || namespace === '' || partition === '*') return undefined
    const tenancy = effectiveTenancy(resource, { partition, namespace })
    if (tenancy.namespace !== '*') return tenancy
    const inDefault = { ...DEFAULT_TENANCY, partition }
    const isThere = access !== 'read-all' && this.authorizer.may(resource, access, segment, inDefault)
    return isThere ? inDefault : undefined
  }

  #of(resource: Resource, tenancy: Tenancy): Needs {
    const effective = effectiveTenancy(resource, tenancy)
    return getOrCreate(this.#needs, `${resource} ${spaceOf(effective)}`, () => new Needs(resource, effective))
  }

  /** Adds prefixes that several names share and that the current rights cover. */
  #generalize(needs: Needs): void {
    const { resource, tenancy, regions } = needs
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
        const isCovered = strengthOf(needs.levelAt(place)) >= strengthOf(level)
        if (count < LEAST_NAMES || isCovered) continue
        if (strengthOf(currentLevel(this.authorizer, resource, place, tenancy)) < strengthOf(level)) continue
        needs.add('prefix', parent, level)
        isChanged = true
      }
    }
  }

  /** The rules for one resource in one tenancy: at each needed name, and at each name below where the current rights differ. */
  *#rulesOf(resource: RuleResource, own: Needs, intentions: Needs): Steps<readonly SuggestedRule[]> {
    const pace = new StepPace()
    const { tenancy } = own
    const { authorizer } = this
    const regions = [...own.regions.values(), ...intentions.regions.values()]
    const places = new Map<string, Pick<Region, 'match' | 'label'>>()
    for (const { match, label } of regions) places.set(`${match} ${label}`, { match, label })
    for (const { rule } of placedRules(authorizer)) {
      const { match, label } = rule
      if (rule.resource === resource && regions.some(region => contains(region, rule)))
        places.set(`${match} ${label}`, { match, label })
      if (pace.isOver()) yield
    }
    const inOrder = [...places.values()].toSorted(
      (a, b) => a.label.length - b.label.length || Number(a.match === 'exact') - Number(b.match === 'exact')
    )
    const rules: SuggestedRule[] = []
    for (const place of inOrder) {
      if (pace.isOver()) yield
      const level = weaker(own.levelAt(place), currentLevel(authorizer, resource, place, tenancy))
      const ofIntentions =
        resource === 'service'
          ? weaker(intentions.levelAt(place), currentLevel(authorizer, 'intention', place, tenancy))
          : null
      const above = rules.findLast(rule => rule.match === 'prefix' && contains(rule, place))
      if (level === (above?.level ?? 'deny') && (ofIntentions ?? 'deny') === (above?.intentions ?? 'deny'))
        continue
      const examples = [...own.names, ...intentions.names].filter(name =>
        contains(place, { match: 'exact', label: name })
      )
      rules.push({
        resource,
        ...place,
        level,
        intentions: ofIntentions,
        examples: examples.slice(0, MOST_EXAMPLES),
        ...tenancy
      })
    }
    return rules
  }
}

const scopedRule = ({ partition, namespace, ...rule }: SuggestedRule): ScopedRules => ({
  rules: { rules: [{ ...rule, line: 0, column: 0 }], blocks: [], warnings: [] },
  tenancy: { partition, namespace }
})

/** Suggests rules for questions. Cost: the questions, and for each needed name the rules and the other names. */
export function* suggestRules<Asked extends Question>(
  authorizer: Authorizer,
  questions: Iterable<Asked>,
  generalization: Generalization
): Steps<Suggestion<Asked>> {
  const suggestion = new RuleSuggestion(authorizer, generalization)
  const pace = new StepPace()
  const added: Asked[] = []
  for (const question of questions) {
    suggestion.add(question)
    added.push(question)
    if (pace.isOver()) yield
  }
  const rules = yield* suggestion.rules()
  const suggested = compileAuthorizer(rules.map(scopedRule), 'deny')
  const uncovered: Asked[] = []
  for (const question of added) {
    if (decideQuestion(authorizer, question).allowed && !decideQuestion(suggested, question).allowed)
      uncovered.push(question)
    if (pace.isOver()) yield
  }
  return { rules, uncovered }
}
