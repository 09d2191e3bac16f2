// The tokens and future logins that a change of policies, roles, tokens, binding rules or namespaces concerns.
import type { Tenancy } from '../../../events/envelope.js'
import { getOrCreate } from '../../maps.js'
import type { Views } from '../../read-models.js'
import { spaceOf } from '../../row-table.js'
import { StepPace, type Steps } from '../../steps.js'
import type { BindingRuleRow } from '../binding-rules.js'
import { boundIdentities, loginTenancies, mayBind, roleGrants } from '../login-grants.js'
import type { RoleRow } from '../roles.js'
import type { TokenRow } from '../token-row.js'
import { type AclChange, ChangedLinks } from './changed-links.js'
import { type GrantsWithText, withText } from './grants.js'

/** A token, or the logins that a binding rule selects. `name`: the bound role or identity. */
export type AffectedSubject =
  | { readonly kind: 'token'; readonly row: TokenRow }
  | { readonly kind: 'binding rule'; readonly row: BindingRuleRow; readonly name: string }

/** The tokens and logins with equal links before a change, and after it. */
export interface AffectedGroup {
  readonly before: GrantsWithText | undefined
  readonly after: GrantsWithText | undefined
  /** The first tokens and binding rules. */
  readonly subjects: readonly AffectedSubject[]
  /** Of all tokens. */
  readonly accessors: readonly string[]
}

interface MutableGroup extends AffectedGroup {
  readonly subjects: AffectedSubject[]
  readonly accessors: string[]
}

/** Subjects that an effect names. */
export const MOST_NAMED = 100

interface Selection {
  /** Epoch milliseconds, at which tokens must be valid. */
  readonly now: number
  readonly mayRead: (tenancy: Tenancy) => boolean
}

class GroupCollection {
  /** By the links before and after. */
  readonly #groups = new Map<string, MutableGroup>()

  constructor(
    private readonly change: AclChange,
    private readonly links: ChangedLinks,
    private readonly selection: Selection
  ) {}

  *groups(): Steps<readonly AffectedGroup[]> {
    yield* this.#collectTokens()
    yield* this.#collectLogins()
    return [...this.#groups.values()]
  }

  #collectTokens(): Steps<void> {
    const { before, after } = this.change
    const { now, mayRead } = this.selection
    const { links } = this
    const lists = before.tokens
      .tenancies()
      .filter(mayRead)
      .map(tenancy => before.tokens.behind(tenancy, undefined))
    const created = [...links.tokens].flatMap(key =>
      before.tokens.get(key) ? [] : (after.tokens.get(key) ?? [])
    )
    const pace = new StepPace()
    const steps = function* (this: GroupCollection): Steps<void> {
      for (const row of created.filter(({ tenancy }) => mayRead(tenancy)))
        this.#add(undefined, grantsOf(row), { kind: 'token', row })
      for (const rows of lists)
        for (const row of rows) {
          if (pace.isOver()) yield
          if (!row.isValid(now) || !links.affectsToken(row)) continue
          const earlier = grantsOf(row)
          const later = links.tokens.has(row.key) ? grantsOf(after.tokens.get(row.key)) : earlier
          this.#add(earlier, later, { kind: 'token', row })
        }
    }
    return steps.call(this)
  }

  *#collectLogins(): Steps<void> {
    const { before, after } = this.change
    const rules = new Map([...before.bindingRules.all()].map(row => [row.rule.ID, row]))
    const ids = new Set([...rules.keys(), ...this.links.bindingRules])
    for (const id of ids) {
      yield
      const [older, newer] = [before.bindingRules.get(id), after.bindingRules.get(id)]
      const row = newer ?? older
      if (!row || !this.selection.mayRead(row.tenancy)) continue
      if (older && newer && selects(older) === selects(newer)) yield* this.#addLogins(newer, older, newer)
      else {
        if (older) yield* this.#addLogins(older, older, undefined)
        if (newer) yield* this.#addLogins(newer, undefined, newer)
      }
    }
  }

  /** Adds the tokens of logins that a binding rule selects, before and after the change. */
  *#addLogins(
    row: BindingRuleRow,
    older: BindingRuleRow | undefined,
    newer: BindingRuleRow | undefined
  ): Steps<void> {
    const was = yield* this.#bound(older, this.change.before)
    const is = yield* this.#bound(newer, this.change.after)
    for (const key of new Set([...was.keys(), ...is.keys()])) {
      yield
      const name = key.slice(key.indexOf(' ') + 1)
      this.#add(was.get(key), is.get(key), { kind: 'binding rule', row, name })
    }
  }

  /** Returns what a binding rule may give, by tenancy and name, as far as the change concerns it. */
  *#bound(row: BindingRuleRow | undefined, views: Views): Steps<ReadonlyMap<string, GrantsWithText>> {
    const bound = new Map<string, GrantsWithText>()
    if (!row) return bound
    const pace = new StepPace()
    const isOwn = this.links.bindingRules.has(row.rule.ID)
    for (const tenancy of loginTenancies(row, views)) {
      const space = spaceOf(tenancy)
      const isChanged = isOwn || this.links.spaces.has(space)
      if (row.rule.BindType === 'role') {
        for (const { role } of this.#rolesIn(views, tenancy, isChanged)) {
          if (pace.isOver()) yield
          if (mayBind(row, role.Name))
            bound.set(`${space} ${role.Name}`, withText(roleGrants(role.ID), tenancy))
        }
      } else if (isChanged)
        for (const { name, grants } of boundIdentities(row, [], views))
          bound.set(`${space} ${name}`, withText(grants, tenancy))
    }
    return bound
  }

  /** Yields the changed roles of a tenancy, and all others if the binding itself changes. */
  *#rolesIn(views: Views, tenancy: Tenancy, isChanged: boolean): Iterable<RoleRow> {
    const { roles } = this.links
    if (isChanged)
      for (const row of this.change.before.roles.list(tenancy)) if (!roles.has(row.role.ID)) yield row
    for (const id of roles) {
      const row = views.roles.get(id)
      if (row && spaceOf(row.tenancy) === spaceOf(tenancy)) yield row
    }
  }

  #add(
    before: GrantsWithText | undefined,
    after: GrantsWithText | undefined,
    subject: AffectedSubject
  ): void {
    const key = after === before ? textOf(before) : `${textOf(before)} ${textOf(after)}`
    const group = getOrCreate(this.#groups, key, () => ({ before, after, subjects: [], accessors: [] }))
    if (subject.kind === 'token') group.accessors.push(subject.row.token.AccessorID)
    if (group.subjects.length < MOST_NAMED) group.subjects.push(subject)
  }
}

const grantsOf = (row: TokenRow | undefined): GrantsWithText | undefined =>
  row && withText(row.token, row.tenancy)

const textOf = (grants: GrantsWithText | undefined): string => grants?.text ?? 'none'

const selects = ({ rule: { AuthMethod, Selector }, tenancy }: BindingRuleRow): string =>
  JSON.stringify([tenancy, AuthMethod.toLowerCase(), Selector])

/** Returns the tokens and logins that a change concerns, in groups of equal links. Costs a look at each token. */
export const affectedGroups = (
  change: AclChange,
  links: ChangedLinks,
  selection: Selection
): Steps<readonly AffectedGroup[]> => new GroupCollection(change, links, selection).groups()
