// What a subscription must be allowed to before a single event of it is looked at (spec: stream.md §14 rows 11 to 13).
import type { Tenancy } from '../../events/envelope.js'
import { decideReadJob, type Access, type Authorizer, type Resource } from '../acl/authorizer.js'
import { grantsSome } from '../acl/some-access.js'

/** In place of a partition or namespace of a subscription: all of them, also those that do not exist yet. */
export const ALL_TENANCIES = '*'

/** A right, in words for the refusal, and whether an authorizer gives it. */
export interface RequiredPermission {
  /** As in `key:read`. */
  readonly permission: string
  /** What the right must be on; '' when the permission says it all, null for every thing. */
  readonly on: string | null
  /** Where the right must be, for a subscription to a tenancy; an empty name asks for all of them. */
  readonly where: (tenancy: Tenancy) => Tenancy
  readonly isMet: (authorizer: Authorizer, tenancy: Tenancy) => boolean
}

/** No partition or namespace has the empty name, so only rules for all names answer for it. */
const asked = ({ partition, namespace }: Tenancy): Tenancy => ({
  partition: partition === ALL_TENANCIES ? '' : partition,
  namespace: namespace === ALL_TENANCIES ? '' : namespace
})

/** One thing, or with an empty name what the rule for all names says. */
export const permissionOn = (resource: Resource, access: Access, name = ''): RequiredPermission => ({
  permission: `${resource}:${access}`,
  on: name,
  where: asked,
  isMet: (authorizer, tenancy) => authorizer.may(resource, access, name, asked(tenancy))
})

/** Every thing of a resource, whatever its name. */
export const permissionOnAll = (resource: Resource): RequiredPermission => ({
  permission: `${resource}:read`,
  on: null,
  where: asked,
  isMet: (authorizer, tenancy) => authorizer.mayAll(resource, 'read', asked(tenancy))
})

/** Nodes have no namespace: their rules stand in `default`. */
export const nodePermission = (need: RequiredPermission): RequiredPermission => {
  const inDefault = ({ partition }: Tenancy): Tenancy => ({ partition, namespace: 'default' })
  return {
    ...need,
    where: tenancy => need.where(inDefault(tenancy)),
    isMet: (authorizer, tenancy) => need.isMet(authorizer, inDefault(tenancy))
  }
}

/** Whoever may change the ACL system of a namespace may see everything of it (decisions.md 21). */
export const managementPermission: RequiredPermission = permissionOn('acl', 'write')

/** `namespace:read-job`: read on the namespace itself, or on every service in it (decisions.md 21). */
export const readJobPermission: RequiredPermission = {
  permission: 'namespace:read-job',
  on: '',
  where: asked,
  isMet: (authorizer, tenancy) => decideReadJob(authorizer, asked(tenancy)).allowed
}

/** Resources whose rules make events visible. */
const VISIBLE: readonly Resource[] = ['key', 'namespace', 'node', 'operator', 'query', 'service', 'session']

/** Read on something of the tenancy, whatever it is. */
export const readsSome: RequiredPermission = {
  permission: 'namespace:read',
  on: '',
  where: asked,
  isMet: (authorizer, tenancy) =>
    grantsSome(authorizer, VISIBLE, tenancy) || managementPermission.isMet(authorizer, tenancy)
}

/** Any of them; the first one is named when none is met. */
export const anyOfPermissions = (
  first: RequiredPermission,
  ...others: readonly RequiredPermission[]
): RequiredPermission => ({
  ...first,
  isMet: (authorizer, tenancy) => [first, ...others].some(need => need.isMet(authorizer, tenancy))
})

/** All of them; the first one is named when one is not met. */
export const allOfPermissions = (
  first: RequiredPermission,
  ...others: readonly RequiredPermission[]
): RequiredPermission => ({
  ...first,
  isMet: (authorizer, tenancy) => [first, ...others].every(need => need.isMet(authorizer, tenancy))
})
