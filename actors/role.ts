// ACL roles (spec: acl.md §5).
import type { Tenancy } from '../events/envelope.js'
import {
  type Role,
  ROLE_TOPIC,
  type RoleDeleted,
  type RoleEvent,
  type RoleInput,
  roleDefinition,
  type RoleUpserted
} from '../events/role.js'
import type { Views } from '../projections/read-models.js'
import type { Aggregate } from './aggregate.js'
import type { Command } from './command.js'
import { contentsOf, hashesOf } from './content.js'
import { grantsOf, type GrantHolder } from './grants.js'
import { twoStateLifecycle } from './lifecycle.js'
import { createEvent } from './create-event.js'
import { invalid } from './refusal.js'
import { isWithinTenancy } from './tenancy.js'
import { isUuid } from './uuid.js'

type CreateRole = Command<'CreateRole', RoleInput & { readonly newId: string }>
type UpdateRole = Command<'UpdateRole', RoleInput & { readonly id: string }>
type DeleteRole = Command<'DeleteRole', { readonly id: string }>
export type RoleCommand = CreateRole | UpdateRole | DeleteRole

const roleLifecycle = twoStateLifecycle({
  topic: ROLE_TOPIC,
  created: 'ACLRoleUpserted',
  ended: 'ACLRoleDeleted',
  find: ({ roles }, { key }) => roles.get(key)
})

const NAME = /^[A-Za-z0-9_-]{1,256}$/
const ROLE: GrantHolder = { kind: 'role', local: false }

const checkName = (name: string): void => {
  if (name === '') throw invalid('Invalid Role: no Name is set')
  if (!NAME.test(name))
    throw invalid(
      "Invalid Role: invalid Name. Only alphanumeric characters, '-' and '_' are allowed, at most 256 of them"
    )
}

const contentOf = contentsOf(roleDefinition)

const checkId = (id: string): void => {
  if (!isUuid(id)) throw invalid('Role ID invalid UUID')
}

const create = ({ data, tenancy }: CreateRole, views: Views, index: number): RoleEvent[] => {
  checkName(data.Name)
  if (views.roles.named(tenancy, data.Name))
    throw invalid(`Invalid Role: A Role with Name "${data.Name}" already exists`)
  const content = contentOf({ ...data, ...grantsOf(data, ROLE, tenancy, views) })
  return [roleUpserted(tenancy, { ID: data.newId, ...content, CreateIndex: index, ModifyIndex: index })]
}

const update = ({ data, tenancy }: UpdateRole, views: Views, index: number): RoleEvent[] => {
  checkId(data.id)
  checkName(data.Name)
  const row = isWithinTenancy(views.roles.get(data.id), tenancy)
  if (!row) throw invalid(`cannot find role ${data.id}`)
  // As measured, a rename to any existing name is refused, even to its own in other letter case.
  if (row.role.Name !== data.Name && views.roles.named(tenancy, data.Name))
    throw invalid(`Invalid Role: A role with name "${data.Name}" already exists`)
  const { ID, CreateIndex } = row.role
  const content = contentOf({ ...data, ...grantsOf(data, ROLE, tenancy, views) })
  return [roleUpserted(tenancy, { ID, ...content, CreateIndex, ModifyIndex: index })]
}

const remove = ({ data, tenancy }: DeleteRole, views: Views): RoleEvent[] => {
  checkId(data.id)
  const row = isWithinTenancy(views.roles.get(data.id), tenancy)
  return row ? [roleDeleted(tenancy, row.role)] : []
}

/** @throws Refusal `invalid` */
const decideRole = (command: RoleCommand, views: Views, index: number): RoleEvent[] => {
  switch (command.name) {
    case 'CreateRole':
      return create(command, views, index)
    case 'UpdateRole':
      return update(command, views, index)
    case 'DeleteRole':
      return remove(command, views)
  }
}

/** A role without its derived fields. */
export type RoleContent = Omit<Role, 'Hash'>

const hashOf = hashesOf(roleDefinition)

export const roleUpserted = (tenancy: Tenancy, content: RoleContent): RoleUpserted => {
  const { CreateIndex, ModifyIndex, ...rest } = content
  return createEvent({
    Topic: ROLE_TOPIC,
    Type: 'ACLRoleUpserted',
    Key: content.ID,
    tenancy,
    FilterKeys: [content.Name],
    Payload: { ACLRole: { ...rest, Hash: hashOf(content, ['role']), CreateIndex, ModifyIndex } }
  })
}

const roleDeleted = (tenancy: Tenancy, role: Role): RoleDeleted =>
  createEvent({
    Topic: ROLE_TOPIC,
    Type: 'ACLRoleDeleted',
    Key: role.ID,
    tenancy,
    FilterKeys: [role.Name],
    Payload: { ACLRole: role }
  })

export const roleAggregate: Aggregate<RoleCommand> = {
  lifecycle: roleLifecycle,
  removals: ['DeleteRole'],
  decide: decideRole
}
