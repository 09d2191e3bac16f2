// The permissions that a subscription requires before its first event (spec: stream.md §14 rows 11 to 13).
import type { Tenancy } from '../../events/envelope.js'
import { decideReadJob, type Access, type Authorizer, type Resource } from '../acl/authorizer.js'
import { nodeTenancy } from '../tenancy-view.js'
import { grantsSome } from '../acl/some-access.js'

/** Stands for all partitions or namespaces of a subscription, including later ones. */
export const ALL_TENANCIES = '*'

export interface RequiredPermission {
  /** As in `key:read`. */
  readonly permission: string
  /** The resource; '' if the permission has none, null for every resource of the kind. */
  readonly on: string | null
  /** The tenancy of the permission, for the tenancy of a subscription; an empty name means all. */
  readonly where: (tenancy: Tenancy) => Tenancy
  readonly isMet: (authorizer: Authorizer, tenancy: Tenancy) => boolean
}

/** No partition or namespace has the empty name, so that only rules for all names apply. */
const ruleTenancy = ({ partition, namespace }: Tenancy): Tenancy => ({
  partition: partition === ALL_TENANCIES ? '' : partition,
  namespace: namespace === ALL_TENANCIES ? '' : namespace
})

/** A permission on one resource; with an empty name the rule for all names decides. */
export const permissionOn = (resource: Resource, access: Access, name = ''): RequiredPermission => ({
  permission: `${resource}:${access}`,
  on: name,
  where: ruleTenancy,
  isMet: (authorizer, tenancy) => authorizer.may(resource, access, name, ruleTenancy(tenancy))
})

export const permissionOnAll = (resource: Resource): RequiredPermission => ({
  permission: `${resource}:read`,
  on: null,
  where: ruleTenancy,
  isMet: (authorizer, tenancy) => authorizer.mayAll(resource, 'read', ruleTenancy(tenancy))
})

export const nodePermission = (permission: RequiredPermission): RequiredPermission => ({
  ...permission,
  where: tenancy => permission.where(nodeTenancy(tenancy)),
  isMet: (authorizer, tenancy) => permission.isMet(authorizer, nodeTenancy(tenancy))
})

/** Write on the ACL system of a namespace allows reading everything in it (decisions.md 21). */
export const managementPermission: RequiredPermission = permissionOn('acl', 'write')

/** `namespace:read-job`: read on the namespace itself, or on every service in it (decisions.md 21). */
export const readJobPermission: RequiredPermission = {
  permission: 'namespace:read-job',
  on: '',
  where: ruleTenancy,
  isMet: (authorizer, tenancy) => decideReadJob(authorizer, ruleTenancy(tenancy)).allowed
}

/** Resources whose rules make events visible. */
const VISIBLE: readonly Resource[] = ['key', 'namespace', 'node', 'operator', 'query', 'service', 'session']

export const readsSome: RequiredPermission = {
  permission: 'namespace:read',
  on: '',
  where: ruleTenancy,
  isMet: (authorizer, tenancy) =>
    grantsSome(authorizer, VISIBLE, tenancy) || managementPermission.isMet(authorizer, tenancy)
}

const combinedBy =
  (quantifier: 'some' | 'every') =>
  (first: RequiredPermission, ...others: readonly RequiredPermission[]): RequiredPermission => ({
    ...first,
    isMet: (authorizer, tenancy) =>
      [first, ...others][quantifier](permission => permission.isMet(authorizer, tenancy))
  })

/** Requires any of the permissions; a denial names the first one. */
export const anyOfPermissions = combinedBy('some')

/** Requires all of the permissions; a denial names the first one. */
export const allOfPermissions = combinedBy('every')
