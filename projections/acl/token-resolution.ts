// A token of another datacenter with all that its rights follow from, as that datacenter tells it.
import type { Tenancy } from '../../events/envelope.js'
import type { NamespaceAcls } from '../../events/namespace.js'
import type { Policy } from '../../events/policy.js'
import type { Role } from '../../events/role.js'
import type { Token } from '../../events/token.js'
import type { Views } from '../read-models.js'
import { compileAuthorizer, type DefaultPolicy } from './authorizer.js'
import { collectNamespaceDefaults, collectRules } from './collect-rules.js'
import type { Authority } from './resolver.js'
import { TokenRow } from './token-row.js'

/** What is told of a token, as JSON. */
export interface ResolvedToken {
  readonly kind: 'token'
  /** Without its secret, which who asks has. */
  readonly token: Token
  readonly tenancy: Tenancy
  /** All that the token, its roles and the defaults of its namespace link to. */
  readonly policies: readonly { readonly policy: Policy; readonly tenancy: Tenancy }[]
  readonly roles: readonly { readonly role: Role }[]
  /** The defaults of its namespace. */
  readonly defaults?: NamespaceAcls | undefined
}

/** What a datacenter says of a secret: whose it is, or that its token is local there, or that there is none. */
export type TokenResolution = ResolvedToken | { readonly kind: 'local' } | { readonly kind: 'unknown' }

type Sources = Pick<Views, 'tokens' | 'policies' | 'roles' | 'namespaces'>

const found = <Row extends object>(
  ids: Iterable<string>,
  rowOf: (id: string) => Row | undefined
): readonly Row[] =>
  [...new Set(ids)].flatMap(id => {
    const row = rowOf(id)
    return row ? [row] : []
  })

const idsOf = (links: readonly { readonly ID: string }[] = []): readonly string[] => links.map(({ ID }) => ID)

/** What there is to tell of a secret at this time (epoch milliseconds). Linear in what is linked. */
export const resolveTokenHere = (views: Sources, secret: string, now: number): TokenResolution => {
  const row = views.tokens.bySecret(secret)
  if (!row?.isValid(now)) return { kind: 'unknown' }
  const { token, tenancy } = row
  if (token.Local) return { kind: 'local' }
  const defaults = views.namespaces.get(tenancy)?.namespace.ACLs
  const roles = found([...idsOf(token.Roles), ...idsOf(defaults?.RoleDefaults)], id => views.roles.get(id))
  const linked = [token.Policies, defaults?.PolicyDefaults, ...roles.map(({ role }) => role.Policies)]
  const policies = found(linked.flatMap(idsOf), id => views.policies.get(id))
  return {
    kind: 'token',
    token,
    tenancy,
    policies: policies.map(({ policy, tenancy: home }) => ({ policy, tenancy: home })),
    roles: roles.map(({ role }) => ({ role })),
    ...(defaults ? { defaults } : {})
  }
}

/** The authority of a token as it was told: by the rules of its own datacenter, where this one is what they speak of. */
export const authorityOfResolution = (
  { token, tenancy, policies, roles, defaults }: ResolvedToken,
  secret: string,
  { datacenter, defaultPolicy }: { readonly datacenter: string; readonly defaultPolicy: DefaultPolicy }
): Authority => {
  const policiesById = new Map(policies.map(row => [row.policy.ID.toLowerCase(), row]))
  const rolesById = new Map(roles.map(row => [row.role.ID.toLowerCase(), row]))
  const linked = {
    policies: { get: (id: string) => policiesById.get(id.toLowerCase()) },
    roles: { get: (id: string) => rolesById.get(id.toLowerCase()) },
    datacenter
  }
  const own = collectRules(token, tenancy, linked)
  const home = { get: () => ({ namespace: { ACLs: defaults } }) }
  const inherited = collectNamespaceDefaults(tenancy, home, linked)
  return {
    token: new TokenRow(token, secret, tenancy),
    authorizer: compileAuthorizer(own.sets, defaultPolicy, inherited.sets)
  }
}
