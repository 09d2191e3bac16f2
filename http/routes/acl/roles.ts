// ACL roles (spec: acl.md §5).
import { refusedWith } from '../../wire/response.js'
import { requireUuid } from '../../../actors/uuid.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
import { ROLE_TOPIC, roleDefinition } from '../../../events/role.js'
import type { RoleRow } from '../../../projections/acl/roles.js'
import { requireSame } from '../crud.js'
import { aclCrudRoutes } from './acl-crud.js'
import { globalAclFacts } from './acl-reads.js'
import { roleLinks } from './acl-history.js'
import type { RequestContext } from '../../wire/request-context.js'
import { type Route, inputsOf } from '../../wire/route.js'

const inputOf = inputsOf(roleDefinition)

/** Returns the roles that link to the policy of the query, in no order; undefined without one. @throws Refusal `invalid` */
const linkedRoles = ({ query, views }: RequestContext): readonly RoleRow[] | undefined => {
  const policy = query.filled('policy')
  if (policy === undefined) return undefined
  requireUuid('acl.role.invalid', 'policy', policy)
  // Links to a deleted policy have no effect, though a role may still hold its ID.
  return views.policies.get(policy) ? views.roles.linkedTo(policy) : []
}

export const roleRoutes: readonly Route[] = aclCrudRoutes({
  shape: roleDefinition,
  topic: ROLE_TOPIC,
  noun: 'role',
  plural: 'Roles',
  paths: ['/v1/acl/role', '/v1/acl/roles'],
  facts: globalAclFacts('ACL roles'),
  checkId: ({ ID }, id) => requireSame(roleDefinition, 'ID', ID, id),
  create: (request, body, newId) => request.command('CreateRole', { ...inputOf(body), newId }),
  update: (request, body, id) => request.command('UpdateRole', { ...inputOf(body), id }),
  remove: (request, id) => request.command('DeleteRole', { id }),
  rowsOf: views => views.roles,
  idOf: row => row.role.ID,
  watch: ['role', 'roles'],
  textOf: (row, views) => row.json(views),
  missing: called => refusedWith('acl.role.missing', `No ACL role with ${called} exists`),
  idNames: ['acl.role.invalid', 'Role ID'],
  named: { find: ({ roles }, tenancy, name) => roles.named(tenancy, name), code: 'acl.role.invalid' },
  linksOf: roleLinks,
  list: {
    summary: 'List the roles',
    query: {
      policy: 'Only roles linked directly to the policy of this ID',
      filter: 'A filter expression'
    },
    links: [POLICY_TOPIC],
    linked: linkedRoles,
    filtered: (row, views) => row.toObject(views)
  }
})
