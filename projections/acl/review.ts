// Finds tokens, roles and policies that weaken access control or serve nothing.
import type { Tenancy } from '../../events/envelope.js'
import { MANAGEMENT_POLICY_ID } from '../../events/policy.js'
import { formatDuration, HOUR } from '../../events/duration.js'
import { formatTime, parseTime } from '../../events/time.js'
import { ANONYMOUS_ACCESSOR } from '../../events/token.js'
import { NAMESPACE_POLICY } from '../change-sets.js'
import type { Views } from '../read-models.js'
import { spaceOf } from '../row-table.js'
import { StepPace, type Steps } from '../steps.js'
import type { BindingRuleRow } from './binding-rules.js'
import { loginTenancies, mayBind } from './login-grants.js'
import type { PolicyRow } from './policies.js'
import type { RoleRow } from './roles.js'
import type { TokenRow } from './token-row.js'

const TOKEN_CHECKS = [
  'unused-token',
  'token-without-expiration',
  'old-secret',
  'needless-management'
] as const
const POLICY_CHECKS = ['policy-without-link', 'wide-rule'] as const
export const REVIEW_CHECKS = [...TOKEN_CHECKS, 'role-without-token', ...POLICY_CHECKS] as const
export type ReviewCheck = (typeof REVIEW_CHECKS)[number]

export type Reviewed =
  | { readonly check: (typeof TOKEN_CHECKS)[number]; readonly row: TokenRow }
  | { readonly check: 'role-without-token'; readonly row: RoleRow }
  | { readonly check: (typeof POLICY_CHECKS)[number]; readonly row: PolicyRow }

/** Times are in epoch milliseconds. */
interface ReviewOptions {
  readonly now: number
  /** Tokens without a use since then count as unused. */
  readonly unusedSince: number
  /** Secrets created before then are old. */
  readonly secretsSince: number
  /** Undefined if too little is recorded to call a token unused. */
  readonly lastUsed: ((accessor: string) => number | undefined) | undefined
  /** Findings from recorded questions, by check and ID. */
  readonly fromUsage: UsageFindings
}

export type UsageFindings = ReadonlyMap<string, Finding>

export interface Finding {
  readonly message: string
  /** Commands that fix it. */
  readonly fix: readonly string[]
}

/** Of tokens that replace endless ones, in ns, if tokens can live so long. */
const TOKEN_LIFE = 720 * HOUR

export const placeFlags = ({ partition, namespace }: Tenancy): string =>
  (namespace === 'default' ? '' : ` -namespace ${namespace}`) +
  (partition === 'default' ? '' : ` -partition ${partition}`)

const createdAt = ({ token }: TokenRow): number => parseTime(token.CreateTime) ?? 0

/** Returns the command that creates a token with the same links and an end. */
const expiringTwin = ({ token, tenancy }: TokenRow, life: string): string => {
  const { Policies, Roles, ServiceIdentities, NodeIdentities, Local } = token
  return [
    `annals token create -expires-ttl ${life}${placeFlags(tenancy)}`,
    ...Policies.map(({ ID }) => `-policy-id ${ID}`),
    ...Roles.map(({ ID }) => `-role-id ${ID}`),
    ...ServiceIdentities.map(
      ({ ServiceName, Datacenters }) =>
        `-service-identity ${ServiceName}${Datacenters?.length ? `:${Datacenters.join(',')}` : ''}`
    ),
    ...NodeIdentities.map(({ NodeName, Datacenter }) => `-node-identity ${NodeName}:${Datacenter}`),
    ...(Local ? ['-local'] : [])
  ].join(' ')
}

/** Reviews one state. `collectLinks` must have run before. */
export class AclReview {
  readonly #defaultLinks = new Set<string>()
  readonly #roleRules: { readonly row: BindingRuleRow; readonly spaces: ReadonlySet<string> }[] = []

  constructor(
    private readonly views: Views,
    private readonly options: ReviewOptions
  ) {}

  /** Collects the links of namespaces, and the binding rules for roles. */
  *collectLinks(): Steps<void> {
    const pace = new StepPace()
    for (const { namespace } of this.views.namespaces.all()) {
      const { PolicyDefaults = [], RoleDefaults = [] } = namespace.ACLs ?? {}
      for (const { ID } of [...PolicyDefaults, ...RoleDefaults]) this.#defaultLinks.add(ID)
      if (pace.isOver()) yield
    }
    for (const row of this.views.bindingRules.all()) {
      if (row.rule.BindType !== 'role') continue
      this.#roleRules.push({ row, spaces: new Set(loginTenancies(row, this.views).map(spaceOf)) })
      if (pace.isOver()) yield
    }
  }

  /** Returns the finding of a check; undefined if there is none. */
  findingOf(reviewed: Reviewed): Finding | undefined {
    switch (reviewed.check) {
      case 'unused-token':
        return this.#unusedToken(reviewed.row)
      case 'token-without-expiration':
        return this.#endlessToken(reviewed.row)
      case 'old-secret':
        return this.#oldSecret(reviewed.row)
      case 'role-without-token':
        return this.#unheldRole(reviewed.row)
      case 'policy-without-link':
        return this.#unlinkedPolicy(reviewed.row)
      case 'needless-management':
        return this.options.fromUsage.get(`${reviewed.check} ${reviewed.row.token.AccessorID}`)
      case 'wide-rule':
        return this.options.fromUsage.get(`${reviewed.check} ${reviewed.row.policy.ID}`)
    }
  }

  #isReviewed({ token }: TokenRow): boolean {
    return token.AccessorID !== ANONYMOUS_ACCESSOR && token.RotatedTo === undefined
  }

  #unusedToken(row: TokenRow): Finding | undefined {
    const { AccessorID, Policies } = row.token
    const { now, unusedSince, lastUsed } = this.options
    if (!lastUsed || !this.#isReviewed(row) || !row.isValid(now) || createdAt(row) > unusedSince)
      return undefined
    const used = lastUsed(AccessorID)
    if (used !== undefined && used > unusedSince) return undefined
    const kind = Policies.some(({ ID }) => ID === MANAGEMENT_POLICY_ID) ? 'The management token' : 'The token'
    return {
      message:
        used === undefined ? `${kind} has no known use` : `${kind} was last used at ${formatTime(used)}`,
      fix: [`annals token delete ${AccessorID}${placeFlags(row.tenancy)}`]
    }
  }

  #endlessToken(row: TokenRow): Finding | undefined {
    const { AccessorID, AuthMethod, AuthMethodNamespace: namespace = row.tenancy.namespace } = row.token
    if (!this.#isReviewed(row) || row.expiresAt !== Infinity) return undefined
    const place = { ...row.tenancy, namespace }
    const life = formatDuration(Math.min(TOKEN_LIFE, this.views.settings.tokenLife.max))
    const fix =
      AuthMethod === ''
        ? [expiringTwin(row, life), `annals token delete ${AccessorID}${placeFlags(row.tenancy)}`]
        : [`annals auth-method update ${AuthMethod} -max-token-ttl ${life}${placeFlags(place)}`]
    return { message: 'The token never expires', fix }
  }

  #oldSecret(row: TokenRow): Finding | undefined {
    const { AccessorID, CreateTime, AuthMethod } = row.token
    const { now, secretsSince } = this.options
    const isOld = this.#isReviewed(row) && row.isValid(now) && createdAt(row) < secretsSince
    if (!isOld) return undefined
    const verb = AuthMethod === '' ? 'rotate' : 'delete'
    return {
      message: `The secret was created at ${CreateTime}`,
      fix: [`annals token ${verb} ${AccessorID}${placeFlags(row.tenancy)}`]
    }
  }

  #unheldRole({ role, tenancy }: RoleRow): Finding | undefined {
    const space = spaceOf(tenancy)
    const isLinked =
      this.views.tokens.isLinked('role', role.ID) ||
      this.#defaultLinks.has(role.ID) ||
      this.#roleRules.some(({ row, spaces }) => spaces.has(space) && mayBind(row, role.Name))
    if (isLinked) return undefined
    return {
      message: 'No token, binding rule or namespace links to the role',
      fix: [`annals role delete -id ${role.ID}${placeFlags(tenancy)}`]
    }
  }

  #unlinkedPolicy({ policy, tenancy }: PolicyRow): Finding | undefined {
    const { ID, Name } = policy
    const isBuiltIn = ID === MANAGEMENT_POLICY_ID || Name === NAMESPACE_POLICY
    const { tokens, roles } = this.views
    if (isBuiltIn || tokens.isLinked('policy', ID) || roles.isLinked(ID) || this.#defaultLinks.has(ID))
      return undefined
    return {
      message: 'No token, role or namespace links to the policy',
      fix: [`annals policy delete -id ${ID}${placeFlags(tenancy)}`]
    }
  }
}
