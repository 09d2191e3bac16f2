// Decides the commands on ACL roles (spec: acl.md §5).
import type { RoleEvent } from '../../events/role.js'
import type { Views } from '../../projections/views.js'
import type { Holder } from '../grants/drafts.js'
import { grantsOf } from '../grants/grants.js'
import { invalid } from '../refusal.js'
import { within } from '../same-tenancy.js'
import { isUuid } from '../uuid.js'
import type { CreateRole, DeleteRole, RoleCommand, UpdateRole } from './commands.js'
import { roleDeleted, roleUpserted } from './events.js'

const NAME = /^[A-Za-z0-9_-]{1,256}$/
const ROLE: Holder = { kind: 'role', local: false }

const checkName = (name: string): void => {
  if (name === '') throw invalid('Invalid Role: no Name is set')
  if (!NAME.test(name))
    throw invalid(
      "Invalid Role: invalid Name. Only alphanumeric characters, '-' and '_' are allowed, at most 256 of them"
    )
}

const checkId = (id: string): void => {
  if (!isUuid(id)) throw invalid('Role ID invalid UUID')
}

const create = ({ data, tenancy }: CreateRole, views: Views, index: number): RoleEvent[] => {
  checkName(data.Name)
  if (views.roles.named(tenancy, data.Name))
    throw invalid(`Invalid Role: A Role with Name "${data.Name}" already exists`)
  const { Name, Description } = data
  const grants = grantsOf(data, ROLE, tenancy, views)
  const indexes = { CreateIndex: index, ModifyIndex: index }
  return [roleUpserted(tenancy, { ID: data.newId, Name, Description, ...grants, ...indexes })]
}

const update = ({ data, tenancy }: UpdateRole, views: Views, index: number): RoleEvent[] => {
  checkId(data.id)
  checkName(data.Name)
  const row = within(views.roles.get(data.id), tenancy)
  if (!row) throw invalid(`cannot find role ${data.id}`)
  // A rename is refused by any name that exists, its own in other letter case included, as measured.
  if (row.role.Name !== data.Name && views.roles.named(tenancy, data.Name))
    throw invalid(`Invalid Role: A role with name "${data.Name}" already exists`)
  const { ID, CreateIndex } = row.role
  const { Name, Description } = data
  const grants = grantsOf(data, ROLE, tenancy, views)
  return [roleUpserted(tenancy, { ID, Name, Description, ...grants, CreateIndex, ModifyIndex: index })]
}

const remove = ({ data, tenancy }: DeleteRole, views: Views): RoleEvent[] => {
  checkId(data.id)
  const row = within(views.roles.get(data.id), tenancy)
  return row ? [roleDeleted(tenancy, row.role)] : []
}

/** @throws Refusal `invalid` */
export const decideRole = (command: RoleCommand, views: Views, index: number): RoleEvent[] => {
  switch (command.name) {
    case 'CreateRole':
      return create(command, views, index)
    case 'UpdateRole':
      return update(command, views, index)
    case 'DeleteRole':
      return remove(command, views)
  }
}
