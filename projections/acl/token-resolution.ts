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

/** Sent as JSON. */
export interface ResolvedToken {
  readonly kind: 'token'
  /** Without its secret, which the caller has. */
  readonly token: Token
  readonly tenancy: Tenancy
  /** The targets of the token, its roles and the defaults of its namespace. */
  readonly policies: readonly { readonly policy: Policy; readonly tenancy: Tenancy }[]
  readonly roles: readonly { readonly role: Role }[]
  /** The defaults of its namespace. */
  readonly defaults?: NamespaceAcls | undefined
}

/** A datacenter's response for a secret: its token, or that its token is local there, or that there is none. */
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

/** Resolves a secret at a time (epoch milliseconds). Linear in the links. */
export const resolveTokenHere = (views: Sources, secret: string, now: number): TokenResolution => {
  const row = views.tokens.bySecret(secret)
  if (!row?.isValid(now)) return { kind: 'unknown' }
  return row.token.Local ? { kind: 'local' } : resolutionOfToken(views, row)
}

/** Returns the resolution of a token. Linear in the links. */
export const resolutionOfToken = (views: Sources, { token, tenancy }: TokenRow): ResolvedToken => {
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

/** Compiles the authority of a resolved token by the rules of its own datacenter, for this datacenter. */
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
