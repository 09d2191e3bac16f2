// Finds the tokens, roles and binding rules that give a permission.
import type { Tenancy } from '../../events/envelope.js'
import { getOrCreate } from '../maps.js'
import type { Views } from '../read-models.js'
import { spaceOf } from '../row-table.js'
import { StepPace, type Steps } from '../steps.js'
import type { AuthorizationQuestion } from './authorize-request.js'
import type { BindingRuleRow } from './binding-rules.js'
import type { DirectGrants } from './collect-rules.js'
import { decisionOf, explain, type Explanation } from './explain.js'
import { boundIdentities, loginTenancies, mayBind, roleGrants } from './login-grants.js'
import { RelevantLinks } from './relevant-links.js'
import { compileGrants, linksText } from './resolver.js'
import type { RoleRow } from './roles.js'
import { defaultsOf, type Subject } from './sources.js'
import type { TokenRow } from './token-row.js'

export type Holder =
  | { readonly kind: 'token'; readonly row: TokenRow }
  | { readonly kind: 'role'; readonly row: RoleRow }
  | { readonly kind: 'binding rule'; readonly row: BindingRuleRow }

interface PermittedSubject extends Subject {
  /** Created when it is first requested. */
  explanation?: Explanation
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
  /** By the links that can decide, which many tokens share. */
  readonly #subjects = new Map<string, PermittedSubject | undefined>()
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
      const subject = this.#permitted(roleGrants(row.role.ID), row.tenancy)
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
            : this.#boundIdentity(row, tenancy)
        if (subject) this.#bindingRules.set(row.rule.ID, subject)
        if (pace.isOver()) yield
      }
  }

  /** Returns the reason of the decision for a holder; undefined if it lacks the permission. */
  explanationOf(holder: Holder): Explanation | undefined {
    const subject = this.#subjectOf(holder)
    if (!subject) return undefined
    return (subject.explanation ??= explain(this.question, subject, this.views))
  }

  has(holder: Holder): boolean {
    return this.#subjectOf(holder) !== undefined
  }

  /** Returns true if the holder with the same ID has the permission in this state. */
  hasSame(holder: Holder): boolean {
    if (holder.kind !== 'token') return this.has(holder)
    const row = this.views.tokens.get(holder.row.key)
    return row !== undefined && this.has({ kind: 'token', row })
  }

  #subjectOf({ kind, row }: Holder): PermittedSubject | undefined {
    switch (kind) {
      case 'token':
        return row.isValid(this.now) ? this.#permitted(row.token, row.tenancy) : undefined
      case 'role':
        return this.#roles.get(row.role.ID)
      case 'binding rule':
        return this.#bindingRules.get(row.rule.ID)
    }
  }

  #permitted(granted: DirectGrants, tenancy: Tenancy): PermittedSubject | undefined {
    const holdings = this.#relevant.of(granted)
    const links = linksText(holdings, tenancy)
    if (this.#subjects.has(links)) return this.#subjects.get(links)
    const { authorizer } = compileGrants(holdings, tenancy, this.views, this.#relevant)
    const subject = decisionOf({ authorizer }, this.question).allowed
      ? { authorizer, holdings, defaults: defaultsOf(tenancy, this.views) }
      : undefined
    this.#subjects.set(links, subject)
    return subject
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

  #boundIdentity(row: BindingRuleRow, tenancy: Tenancy): PermittedSubject | undefined {
    const { segment } = this.question
    for (const { grants } of boundIdentities(row, [segment, segment.replace(SIDECAR, '')], this.views)) {
      const subject = this.#permitted(grants, tenancy)
      if (subject) return subject
    }
    return undefined
  }
}
