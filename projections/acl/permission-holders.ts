// Finds the tokens, roles and binding rules that give a permission.
import type { Tenancy } from '../../events/envelope.js'
import { getOrCreate } from '../maps.js'
import type { Views } from '../read-models.js'
import { spaceOf } from '../row-table.js'
import { StepPace, type Steps } from '../steps.js'
import type { AuthorizationQuestion } from './authorize-request.js'
import type { BindingRuleRow } from './binding-rules.js'
import type { AuthorizerRules, Decision } from './authorizer.js'
import { identitySources, type DirectGrants } from './collect-rules.js'
import { decisionOf, explainDecision, type Explanation } from './explain.js'
import { boundIdentities, loginTenancies, mayBind, roleGrants } from './login-grants.js'
import { RelevantLinks } from './relevant-links.js'
import { compileGrants } from './resolver.js'
import type { RoleRow } from './roles.js'
import { defaultsOf, type SubjectLinks } from './sources.js'
import type { TokenRow } from './token-row.js'

export type Holder =
  | { readonly kind: 'token'; readonly row: TokenRow }
  | { readonly kind: 'role'; readonly row: RoleRow }
  | { readonly kind: 'binding rule'; readonly row: BindingRuleRow }

/** The decision for all links with the same effect. */
interface Permission {
  readonly decision: Decision
  readonly defaults: SubjectLinks['defaults']
  /** Of the identities that were decided for. Those at the same places of the other links have the same effect. */
  readonly identities: readonly string[]
}

interface PermittedSubject {
  readonly permission: Permission
  readonly granted: DirectGrants
  /** The part of the links that can decide. */
  readonly relevant: DirectGrants
}

/** A decision takes as long as this number of rows of a list, and that of its rules. */
const COMPILED_ROWS = 16

const ruleCount = (rules: AuthorizerRules): number => {
  if (rules === 'everything') return 0
  const sets = [...rules.own, ...rules.namespaceDefaults].map(set => set.rules)
  const lists = sets.flatMap(({ rules: plain, blocks }) => [plain, ...blocks.map(block => block.rules)])
  return lists.reduce((sum, { length }) => sum + length, 0)
}

/** Returns the decision with the holder's own identity as the source. */
const ownDecision = ({ permission: { decision, identities }, relevant }: PermittedSubject): Decision => {
  const { allowed, because } = decision
  if (because.kind !== 'rule' || because.layer !== 'token') return decision
  const source = identitySources(relevant)[identities.indexOf(because.source)]
  return source === undefined ? decision : { allowed, because: { ...because, source } }
}

const SIDECAR = /-sidecar-proxy$/

/** Returns the key of a holder among those of its kind. */
export const holderKey = ({ kind, row }: Holder): string => {
  if (kind === 'token') return row.key
  return kind === 'role' ? row.role.ID : row.rule.ID
}

/**
 * Decides one question for every token, role and binding rule of a state. A role stands for a token of its tenancy that has only this
 * role, a binding rule for the tokens that only it gives. `decideLinks` must have run before.
 */
export class PermissionHolders {
  /** By the effect of links, which many tokens share. */
  readonly #permissions = new Map<string, Permission | undefined>()
  readonly #roles = new Map<string, PermittedSubject>()
  readonly #bindingRules = new Map<string, PermittedSubject>()
  readonly #relevant: RelevantLinks

  /** @param now epoch milliseconds, at which tokens must be valid */
  constructor(
    private readonly views: Views,
    private readonly question: AuthorizationQuestion,
    private readonly now: number
  ) {
    this.#relevant = new RelevantLinks(views, question)
  }

  /** Decides for roles and binding rules. Costs a look at each policy, a decision for each role, and for templates a look at each role that allows. */
  *decideLinks(): Steps<void> {
    const { roles, bindingRules } = this.views
    const pace = new StepPace()
    const allowing = new Map<string, RoleRow[]>()
    yield* this.#relevant.build(pace)
    for (const row of roles.all()) {
      const subject = this.#permitted(roleGrants(row.role.ID), row.tenancy, pace)
      if (subject) {
        this.#roles.set(row.role.ID, subject)
        getOrCreate<string, RoleRow[]>(allowing, spaceOf(row.tenancy), () => []).push(row)
      }
      if (pace.isOver()) yield
    }
    for (const row of bindingRules.all())
      for (const tenancy of loginTenancies(row, this.views)) {
        if (this.#bindingRules.has(row.rule.ID)) break
        const subject =
          row.rule.BindType === 'role'
            ? yield* this.#boundRole(row, allowing.get(spaceOf(tenancy)) ?? [], pace)
            : this.#boundIdentity(row, tenancy, pace)
        if (subject) this.#bindingRules.set(row.rule.ID, subject)
        if (pace.isOver()) yield
      }
  }

  /** Returns the reason of the decision for a holder; undefined if it lacks the permission. */
  explanationOf(holder: Holder): Explanation | undefined {
    const subject = this.#subjectOf(holder)
    if (!subject) return undefined
    const links = { holdings: subject.granted, defaults: subject.permission.defaults }
    return explainDecision(this.question, ownDecision(subject), links, this.views)
  }

  /** @param pace counts the rules that are compiled for the decision */
  has(holder: Holder, pace: StepPace): boolean {
    return this.#subjectOf(holder, pace) !== undefined
  }

  #subjectOf({ kind, row }: Holder, pace?: StepPace): PermittedSubject | undefined {
    switch (kind) {
      case 'token':
        return row.isValid(this.now) ? this.#permitted(row.token, row.tenancy, pace) : undefined
      case 'role':
        return this.#roles.get(row.role.ID)
      case 'binding rule':
        return this.#bindingRules.get(row.rule.ID)
    }
  }

  #permitted(granted: DirectGrants, tenancy: Tenancy, pace?: StepPace): PermittedSubject | undefined {
    const { links: relevant, effect } = this.#relevant.of(granted, tenancy)
    let permission = this.#permissions.get(effect)
    if (permission === undefined && !this.#permissions.has(effect)) {
      permission = this.#decide(relevant, tenancy, pace)
      this.#permissions.set(effect, permission)
    }
    return permission && { permission, granted, relevant }
  }

  #decide(links: DirectGrants, tenancy: Tenancy, pace?: StepPace): Permission | undefined {
    const { authorizer } = compileGrants(links, tenancy, this.views, this.#relevant)
    pace?.add(COMPILED_ROWS + ruleCount(authorizer.rules))
    const decision = decisionOf({ authorizer }, this.question)
    if (!decision.allowed) return undefined
    return { decision, defaults: defaultsOf(tenancy, this.views), identities: identitySources(links) }
  }

  *#boundRole(
    row: BindingRuleRow,
    roles: readonly RoleRow[],
    pace: StepPace
  ): Steps<PermittedSubject | undefined> {
    for (const { role } of roles) {
      if (mayBind(row, role.Name)) return this.#roles.get(role.ID)
      if (pace.isOver()) yield
    }
    return undefined
  }

  #boundIdentity(row: BindingRuleRow, tenancy: Tenancy, pace: StepPace): PermittedSubject | undefined {
    const { segment } = this.question
    for (const { grants } of boundIdentities(row, [segment, segment.replace(SIDECAR, '')], this.views)) {
      const subject = this.#permitted(grants, tenancy, pace)
      if (subject) return subject
    }
    return undefined
  }
}
