// The index over rules for one question: the links whose rules can decide it.
import type { Tenancy } from '../../events/envelope.js'
import { getOrCreate } from '../maps.js'
import type { Views } from '../read-models.js'
import type { StepPace, Steps } from '../steps.js'
import type { AuthorizationQuestion } from './authorize-request.js'
import {
  nodeIdentityRules,
  policyRules,
  serviceIdentityRules,
  type DirectGrants,
  type PolicyContent
} from './collect-rules.js'
import { LABELLED, ruleName, type Resource, type Rule, type RuleSet } from './rules/model.js'
import { prepareRules } from './rules/parsed-rules.js'

interface Question {
  readonly resource: Resource
  readonly access: string
  readonly segment: string
}

/** Returns a test for rules that can decide a question. Everything else in a rule set is without effect on it. */
const relevance = ({ resource, access, segment }: Question): ((rule: Rule) => boolean) => {
  // Any rule of a namespace lets its token read the namespace.
  if (resource === 'namespace') return () => true
  const kind = resource === 'intention' ? 'service' : resource
  const hasNames = LABELLED.some(one => one === kind) && !(resource === 'intention' && segment === '*')
  return ({ resource: own, match, label }) => {
    if (own !== kind || !hasNames || label === segment) return own === kind
    return (
      (match === 'prefix' && segment.startsWith(label)) ||
      (access === 'write-prefix' && label.startsWith(segment))
    )
  }
}

/** Returns the rules of a set that can decide a question, so that it has the same decision with few rules. */
export const relevantRules = ({ rules, blocks, warnings }: RuleSet, question: Question): RuleSet => {
  const isRelevant = relevance(question)
  return {
    rules: rules.filter(isRelevant),
    blocks: blocks
      .map(block => ({ ...block, rules: block.rules.filter(isRelevant) }))
      .filter(block => block.rules.length > 0),
    warnings
  }
}

/** The resources of which identities have rules. Any rule permits to read its namespace. */
const OF_IDENTITIES: readonly Resource[] = ['service', 'node', 'intention', 'namespace']

/** The length of rules that are parsed in the time of a row of a list. */
const PARSED_LENGTH = 24

interface Relevant {
  /** The links that can decide. */
  readonly links: DirectGrants
  /** The same for links with the same decision: those to identities differ in their names, unless these decide. */
  readonly effect: string
}

const effectOf = ({ rules, blocks }: RuleSet): string =>
  [rules, ...blocks.map(block => block.rules)]
    .map(list => list.map(rule => `${ruleName(rule)} ${rule.level}`).join())
    .join(';')

export class RelevantLinks {
  readonly #rules = new Map<PolicyContent, RuleSet>()
  readonly #policies = new Set<string>()
  readonly #roles = new Set<string>()
  readonly #hasIdentities: boolean

  constructor(
    private readonly views: Views,
    private readonly question: AuthorizationQuestion
  ) {
    this.#hasIdentities = OF_IDENTITIES.includes(question.resource)
  }

  /** Builds the index. Costs a look at each policy and role. */
  *build(pace: StepPace): Steps<void> {
    for (const { policy, tenancy } of this.views.policies.all()) {
      const parsing = prepareRules(policy.Rules, tenancy)
      if (parsing) yield* parsing
      const { rules, blocks } = this.rulesOf(policy, tenancy)
      if (rules.length + blocks.length > 0) this.#policies.add(policy.ID)
      pace.add(policy.Rules.length / PARSED_LENGTH)
      if (pace.isOver()) yield
    }
    for (const { role, tenancy } of this.views.roles.all()) {
      const { Policies, ServiceIdentities, NodeIdentities } = this.of(role, tenancy).links
      if (Policies.length + ServiceIdentities.length + NodeIdentities.length > 0) this.#roles.add(role.ID)
      if (pace.isOver()) yield
    }
  }

  /** @param tenancy that of the holder of the links */
  of(granted: DirectGrants, tenancy: Tenancy): Relevant {
    const Policies = granted.Policies.filter(({ ID }) => this.#policies.has(ID))
    const Roles = (granted.Roles ?? []).filter(({ ID }) => this.#roles.has(ID))
    const effects: string[] = []
    const relevantOf = <Identity>(
      identities: readonly Identity[],
      rulesOf: (identity: readonly Identity[], datacenter: string) => readonly RuleSet[]
    ): readonly Identity[] =>
      identities.filter(identity => {
        if (!this.#hasIdentities) return false
        const sets = rulesOf([identity], this.views.settings.datacenter)
        const effect = sets.map(rules => effectOf(this.select(rules))).join()
        if (effect !== '') effects.push(effect)
        return effect !== ''
      })
    const ServiceIdentities = relevantOf(granted.ServiceIdentities, serviceIdentityRules)
    const NodeIdentities = relevantOf(granted.NodeIdentities, nodeIdentityRules)
    const { Rules } = granted
    const effect = JSON.stringify([
      tenancy,
      Policies.map(({ ID }) => ID),
      Roles.map(({ ID }) => ID),
      effects,
      Rules
    ])
    const links = { Policies, Roles, ServiceIdentities, NodeIdentities }
    return { links: Rules === undefined ? links : { ...links, Rules }, effect }
  }

  select = (rules: RuleSet): RuleSet => relevantRules(rules, this.question)

  rulesOf = (policy: PolicyContent, home: Tenancy): RuleSet =>
    getOrCreate(this.#rules, policy, () => this.select(policyRules(policy, home)))
}
