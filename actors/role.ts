// ACL roles (spec: acl.md §5).
import type { Tenancy } from '../events/envelope.js'
import { type Role, type RoleEvent, roleEvents, type RoleInput, roleDefinition } from '../events/role.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { contentsOf, hashesOf } from './content.js'
import { grantsOf, type GrantHolder } from './grants.js'
import { twoStateLifecycle } from './lifecycle.js'
import { namedDecisions } from './named-resource.js'

type CreateRole = Command<'CreateRole', RoleInput & { readonly newId: string }>
type UpdateRole = Command<'UpdateRole', RoleInput & { readonly id: string }>
type DeleteRole = Command<'DeleteRole', { readonly id: string }>
export type RoleCommand = CreateRole | UpdateRole | DeleteRole

const ROLE: GrantHolder = { kind: 'role', local: false }

const contentOf = contentsOf(roleDefinition)
const hashOf = hashesOf(roleDefinition)

export type RoleContent = Omit<Role, 'Hash'>

export const roleUpserted = (tenancy: Tenancy, content: RoleContent): RoleEvent => {
  const { CreateIndex, ModifyIndex, ...rest } = content
  const Hash = hashOf(content, ['role'])
  return roleEvents.create('ACLRoleUpserted', tenancy, { ...rest, Hash, CreateIndex, ModifyIndex })
}

const { create, update, remove } = namedDecisions({
  title: 'Role',
  code: 'acl.role',
  maxNameLength: 256,
  rowsOf: views => views.roles,
  resourceOf: row => row.role,
  contentOf: (input: RoleInput, tenancy, views) => contentOf(input, grantsOf(input, ROLE, tenancy, views)),
  upserted: roleUpserted,
  deleted: (tenancy, role) => roleEvents.create('ACLRoleDeleted', tenancy, role)
})

export const roleAggregate: Aggregate<RoleCommand> = {
  lifecycle: twoStateLifecycle(roleEvents, ({ roles }, { key }) => roles.get(key)),
  removals: ['DeleteRole'],
  decide: decideBy({ CreateRole: create, UpdateRole: update, DeleteRole: remove })
}
