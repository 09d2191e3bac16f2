// The rights that tokens and future logins would gain and lose by a change of policies, roles, tokens, binding rules or namespaces.
import { createHash } from 'node:crypto'
import type { Tenancy } from '../../../events/envelope.js'
import { getOrCreate } from '../../maps.js'
import type { Views } from '../../read-models.js'
import { spaceOf } from '../../row-table.js'
import { StepPace, type Steps } from '../../steps.js'
import type { BindingRuleRow } from '../binding-rules.js'
import { boundIdentities, loginTenancies, mayBind, roleGrants } from '../login-grants.js'
import { linksText } from '../resolver.js'
import type { RoleRow } from '../roles.js'
import type { TokenRow } from '../token-row.js'
import { ChangedLinks, type AclChange } from './changed-links.js'
import type { RecordedQuestion, RecordedQuestions } from '../usage/question.js'
import { GrantsComparison, type GrantsPair } from './grants-comparison.js'
import type { Grants } from './reduced-rules.js'
import { recordedAnswer, RecordedImpact } from './recorded-answers.js'
import type { RightsDifference } from './rights-differences.js'

/** A token, or the logins that a binding rule selects. `name`: the bound role or identity. */
export type AffectedSubject =
  | { readonly kind: 'token'; readonly row: TokenRow }
  | { readonly kind: 'binding rule'; readonly row: BindingRuleRow; readonly name: string }

/** Everything that has the same rights before, and the same after. */
export interface ImpactEffect {
  /** Undefined if all datacenters decide alike. `*` stands for those that no changed resource names. */
  readonly datacenter: string | undefined
  /** The first ones. */
  readonly rights: readonly RightsDifference[]
  readonly omittedRights: number
  /** Number of tokens. */
  readonly count: number
  /** The first tokens and binding rules. */
  readonly subjects: readonly AffectedSubject[]
}

export interface AclImpact {
  /** Number of tokens that gain or lose any right. */
  readonly tokens: number
  /** Those on most tokens first. */
  readonly effects: readonly ImpactEffect[]
  /** Number of further effects. */
  readonly omitted: number
  /** The recorded questions of these tokens, by the answers where they were asked. */
  readonly recorded: RecordedImpact
}

interface MutableEffect extends ImpactEffect {
  count: number
  readonly subjects: AffectedSubject[]
}

interface Group extends GrantsPair {
  readonly subjects: AffectedSubject[]
  /** Of all tokens. */
  readonly accessors: string[]
}

/** Subjects that an effect names. */
const MOST_NAMED = 100
const MOST_RIGHTS = 200
const MOST_EFFECTS = 1000

interface ImpactOptions {
  /** Epoch milliseconds, at which tokens must be valid. */
  readonly now: number
  readonly mayRead: (tenancy: Tenancy) => boolean
  readonly recorded: RecordedQuestions
}

class ImpactRun {
  readonly #links: ChangedLinks
  /** By the links before and after. */
  readonly #groups = new Map<string, Group>()
  readonly #comparison: GrantsComparison

  constructor(
    private readonly change: AclChange,
    private readonly options: ImpactOptions
  ) {
    this.#links = new ChangedLinks(change)
    this.#comparison = new GrantsComparison(change)
  }

  *impact(): Steps<AclImpact> {
    yield* this.#collectTokens()
    yield* this.#collectLogins()
    const found = new Map<string, MutableEffect>()
    const { datacenters } = this.#links
    const askedIn = yield* this.#askedIn(datacenters)
    const affected = new Set<Group>()
    const recorded = new RecordedImpact()
    let omitted = 0
    for (const datacenter of datacenters)
      for (const group of this.#groups.values()) {
        yield
        const rights = yield* this.#comparison.rightsOf(group, datacenter)
        if (rights.length === 0) continue
        for (const asked of askedIn.get(datacenter) ?? [])
          for (const accessor of group.accessors)
            yield* recorded.add(
              { accessor, datacenter: asked },
              this.#questionsOf(accessor, asked),
              question =>
                recordedAnswer(question, ...this.#comparison.authorizersOf(group, datacenter), rights)
            )
        affected.add(group)
        const named = datacenters.length > 1 ? datacenter : undefined
        const key = yield* digestOf(named, rights)
        const effect = found.get(key) ?? effectOf(named, rights)
        if (found.size < MOST_EFFECTS) found.set(key, effect)
        else if (!found.has(key)) omitted++
        effect.count += group.accessors.length
        effect.subjects.push(...group.subjects.slice(0, MOST_NAMED - effect.subjects.length))
      }
    return {
      tokens: [...affected].reduce((sum, { accessors }) => sum + accessors.length, 0),
      effects: [...found.values()].toSorted((one, other) => other.count - one.count),
      omitted,
      recorded
    }
  }

  /** Returns the datacenters with recorded questions, by the one of these that decides alike. Undefined stands for this one. */
  *#askedIn(deciding: readonly string[]): Steps<ReadonlyMap<string, ReadonlySet<string | undefined>>> {
    const [local = '', ...others] = deciding
    const found = new Map<string, Set<string | undefined>>()
    const pace = new StepPace()
    for (const { datacenter } of this.options.recorded.subjects()) {
      if (pace.isOver()) yield
      const alike = datacenter === undefined || others.length === 0 ? local : datacenter
      getOrCreate(found, deciding.includes(alike) ? alike : '*', () => new Set()).add(datacenter)
    }
    return found
  }

  #questionsOf(accessor: string, datacenter: string | undefined): Iterable<RecordedQuestion> {
    const { before, after } = this.change
    const row = before.tokens.get(accessor) ?? after.tokens.get(accessor)
    if (!row) return []
    const { token, tenancy } = row
    const where = datacenter === undefined ? {} : { datacenter }
    return this.options.recorded.of({ accessor, holdings: { ...token, tenancy }, ...where })
  }

  #collectTokens(): Steps<void> {
    const { before, after } = this.change
    const { now, mayRead } = this.options
    const links = this.#links
    const lists = before.tokens
      .tenancies()
      .filter(mayRead)
      .map(tenancy => before.tokens.behind(tenancy, undefined))
    const created = [...links.tokens].flatMap(key =>
      before.tokens.get(key) ? [] : (after.tokens.get(key) ?? [])
    )
    const pace = new StepPace()
    const steps = function* (this: ImpactRun): Steps<void> {
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
    const ids = new Set([...rules.keys(), ...this.#links.bindingRules])
    for (const id of ids) {
      yield
      const [older, newer] = [before.bindingRules.get(id), after.bindingRules.get(id)]
      const row = newer ?? older
      if (!row || !this.options.mayRead(row.tenancy)) continue
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
    const [was, is] = [
      older ? this.#bound(older, this.change.before) : new Map<string, Grants>(),
      newer ? this.#bound(newer, this.change.after) : new Map<string, Grants>()
    ]
    for (const key of new Set([...was.keys(), ...is.keys()])) {
      yield
      const name = key.slice(key.indexOf(' ') + 1)
      this.#add(was.get(key), is.get(key), { kind: 'binding rule', row, name })
    }
  }

  /** Returns what a binding rule may give, by tenancy and name, as far as the change concerns it. */
  #bound(row: BindingRuleRow, views: Views): ReadonlyMap<string, Grants> {
    const bound = new Map<string, Grants>()
    const isOwn = this.#links.bindingRules.has(row.rule.ID)
    for (const tenancy of loginTenancies(row, views)) {
      const space = spaceOf(tenancy)
      const isChanged = isOwn || this.#links.spaces.has(space)
      if (row.rule.BindType === 'role') {
        for (const { role } of this.#rolesIn(views, tenancy, isChanged))
          if (mayBind(row, role.Name))
            bound.set(`${space} ${role.Name}`, { grants: roleGrants(role.ID), tenancy })
      } else if (isChanged)
        for (const { name, grants } of boundIdentities(row, [], views))
          bound.set(`${space} ${name}`, { grants, tenancy })
    }
    return bound
  }

  /** Yields the changed roles of a tenancy, and all others if the binding itself changes. */
  *#rolesIn(views: Views, tenancy: Tenancy, isChanged: boolean): Iterable<RoleRow> {
    const { roles } = this.#links
    if (isChanged)
      for (const row of this.change.before.roles.list(tenancy)) if (!roles.has(row.role.ID)) yield row
    for (const id of roles) {
      const row = views.roles.get(id)
      if (row && spaceOf(row.tenancy) === spaceOf(tenancy)) yield row
    }
  }

  #add(before: Grants | undefined, after: Grants | undefined, subject: AffectedSubject): void {
    const text = textOf(before)
    const key = after === before ? text : `${text} ${textOf(after)}`
    const group = getOrCreate(this.#groups, key, () => ({ before, after, subjects: [], accessors: [] }))
    if (subject.kind === 'token') group.accessors.push(subject.row.token.AccessorID)
    if (group.subjects.length < MOST_NAMED) group.subjects.push(subject)
  }
}

function* digestOf(datacenter: string | undefined, rights: readonly RightsDifference[]): Steps<string> {
  const pace = new StepPace()
  const digest = createHash('sha256').update(JSON.stringify([datacenter]))
  for (const right of rights) {
    if (pace.isOver()) yield
    digest.update(JSON.stringify(right))
  }
  return digest.digest('base64')
}

const effectOf = (datacenter: string | undefined, rights: readonly RightsDifference[]): MutableEffect => ({
  datacenter,
  rights: rights.slice(0, MOST_RIGHTS),
  omittedRights: Math.max(0, rights.length - MOST_RIGHTS),
  count: 0,
  subjects: []
})

const grantsOf = (row: TokenRow | undefined): Grants | undefined =>
  row && { grants: row.token, tenancy: row.tenancy }

const textOf = (grants: Grants | undefined): string =>
  grants ? linksText(grants.grants, grants.tenancy) : 'none'

const selects = ({ rule: { AuthMethod, Selector }, tenancy }: BindingRuleRow): string =>
  JSON.stringify([tenancy, AuthMethod.toLowerCase(), Selector])

/**
 * Returns the effects of a change. Tokens with equal links are compared once. Costs a look at each token, and a
 * comparison for each different set of links that the change concerns.
 */
export const impactOf = (change: AclChange, options: ImpactOptions): Steps<AclImpact> =>
  new ImpactRun(change, options).impact()
