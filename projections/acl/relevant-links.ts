// The index over rules for one question: the links whose rules can decide it.
import type { Tenancy } from '../../events/envelope.js'
import { getOrCreate } from '../maps.js'
import type { Views } from '../read-models.js'
import type { StepPace, Steps } from '../steps.js'
import type { AuthorizationQuestion } from './authorize-request.js'
import { policyRules, type DirectGrants, type PolicyContent } from './collect-rules.js'
import type { Resource, RuleSet } from './rules/model.js'
import { relevantRules } from './rules/relevant.js'

/** The resources of which identities have rules. Any rule permits to read its namespace. */
const OF_IDENTITIES: readonly Resource[] = ['service', 'node', 'intention', 'namespace']

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
      const { rules, blocks } = this.rulesOf(policy, tenancy)
      if (rules.length + blocks.length > 0) this.#policies.add(policy.ID)
      if (pace.isOver()) yield
    }
    for (const { role } of this.views.roles.all()) {
      const { Policies, ServiceIdentities, NodeIdentities } = this.of(role)
      if (Policies.length + ServiceIdentities.length + NodeIdentities.length > 0) this.#roles.add(role.ID)
      if (pace.isOver()) yield
    }
  }

  /** Returns the links that can decide. Holders with the same ones have the same decision. */
  of({ Policies, Roles = [], ServiceIdentities, NodeIdentities, Rules }: DirectGrants): DirectGrants {
    return {
      Policies: Policies.filter(({ ID }) => this.#policies.has(ID)),
      Roles: Roles.filter(({ ID }) => this.#roles.has(ID)),
      ServiceIdentities: this.#hasIdentities ? ServiceIdentities : [],
      NodeIdentities: this.#hasIdentities ? NodeIdentities : [],
      ...(Rules === undefined ? {} : { Rules })
    }
  }

  select = (rules: RuleSet): RuleSet => relevantRules(rules, this.question)

  rulesOf = (policy: PolicyContent, home: Tenancy): RuleSet =>
    getOrCreate(this.#rules, policy, () => this.select(policyRules(policy, home)))
}
