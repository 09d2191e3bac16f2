// One role and its answer, serialised once per change.
import type { Tenancy } from '../../events/envelope.js'
import type { Role } from '../../events/role.js'
import { shownTenancy } from '../shown-tenancy.js'
import { currentLinks, type NameSource } from './links.js'

/**
 * A role as the read model holds it. Its read form, which is also its entry in lists, is made when first asked for and
 * kept until a linked policy is renamed or removed.
 */
export class RoleRow {
  readonly role: Role
  readonly tenancy: Tenancy
  #json = ''
  #namesVersion = -1

  constructor(role: Role, tenancy: Tenancy) {
    this.role = role
    this.tenancy = tenancy
  }

  /** The answer of a read (acl.md §5). */
  json(names: NameSource): string {
    if (this.#namesVersion !== names.namesVersion) {
      this.#json = JSON.stringify(this.toObject(names))
      this.#namesVersion = names.namesVersion
    }
    return this.#json
  }

  /** The read form as an object. */
  toObject(names: NameSource) {
    const { role, tenancy } = this
    const policies = currentLinks(role.Policies, id => names.policyName(id))
    return {
      ID: role.ID,
      Name: role.Name,
      Description: role.Description,
      ...(policies.length > 0 ? { Policies: policies } : {}),
      ...(role.ServiceIdentities.length > 0 ? { ServiceIdentities: role.ServiceIdentities } : {}),
      ...(role.NodeIdentities.length > 0 ? { NodeIdentities: role.NodeIdentities } : {}),
      ...shownTenancy(tenancy),
      Hash: role.Hash,
      CreateIndex: role.CreateIndex,
      ModifyIndex: role.ModifyIndex
    }
  }
}
