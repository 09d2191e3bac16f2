// Makes the events of ACL roles.
import type { Tenancy } from '../../events/envelope.js'
import { ROLE_TOPIC, type Role, type RoleDeleted, type RoleUpserted } from '../../events/role.js'
import { contentHash } from '../hash.js'
import { makeEvent } from '../make-event.js'

/** Everything of a role that does not follow from the rest. */
export type RoleContent = Omit<Role, 'Hash'>

export const hashRole = (role: RoleContent): string =>
  contentHash([
    'role',
    role.Name,
    role.Description,
    role.Policies.map(link => link.ID),
    role.ServiceIdentities,
    role.NodeIdentities
  ])

export const roleUpserted = (tenancy: Tenancy, content: RoleContent): RoleUpserted => {
  const { CreateIndex, ModifyIndex, ...rest } = content
  return makeEvent({
    Topic: ROLE_TOPIC,
    Type: 'ACLRoleUpserted',
    Key: content.ID,
    tenancy,
    FilterKeys: [content.Name],
    Payload: { ACLRole: { ...rest, Hash: hashRole(content), CreateIndex, ModifyIndex } }
  })
}

export const roleDeleted = (tenancy: Tenancy, role: Role): RoleDeleted =>
  makeEvent({
    Topic: ROLE_TOPIC,
    Type: 'ACLRoleDeleted',
    Key: role.ID,
    tenancy,
    FilterKeys: [role.Name],
    Payload: { ACLRole: role }
  })
