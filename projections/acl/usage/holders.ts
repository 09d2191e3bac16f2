import type { Views } from '../../read-models.js'
import type { Authorizer } from '../authorizer.js'
import { compileGrants } from '../resolver.js'
import type { UsageSubject } from './question.js'

export interface HeldResource {
  readonly kind: 'token' | 'policy' | 'role'
  /** In lower case. */
  readonly id: string
}

type Links = readonly { readonly ID: string }[] | undefined

/** True if a token is the resource, or has its rights by a link, a role, or the defaults of its namespace. */
export const holds = (
  { accessor, holdings }: UsageSubject,
  { kind, id }: HeldResource,
  views: Pick<Views, 'roles' | 'namespaces'>
): boolean => {
  if (kind === 'token') return accessor?.toLowerCase() === id
  const isAmong = (links: Links): boolean => links?.some(({ ID }) => ID.toLowerCase() === id) === true
  const defaults = views.namespaces.get(holdings.tenancy)?.namespace.ACLs
  const roles = [...holdings.Roles, ...(defaults?.RoleDefaults ?? [])]
  if (kind === 'role') return isAmong(roles)
  return (
    isAmong(holdings.Policies) ||
    isAmong(defaults?.PolicyDefaults) ||
    roles.some(({ ID }) => isAmong(views.roles.get(ID)?.role.Policies))
  )
}

/** Returns the current rights of a token where it asked, or of the links of deleted tokens and of tokens of another datacenter. */
export const rightsOf = ({ accessor, holdings, datacenter }: UsageSubject, views: Views): Authorizer => {
  const row = accessor === undefined ? undefined : views.tokens.get(accessor)
  if (row && datacenter === undefined) return views.resolver.authorizerOf(row)
  const [grants, tenancy] = row ? [row.token, row.tenancy] : [holdings, holdings.tenancy]
  return compileGrants(grants, tenancy, views, datacenter === undefined ? {} : { datacenter }).authorizer
}
