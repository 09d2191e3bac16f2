import type { Link } from '../../events/definition/types.js'
import type { Tenancy } from '../../events/envelope.js'
import { roleDefinition, roleEvents, type Role, type RoleEvent } from '../../events/role.js'
import type { Watch } from '../watch.js'
import { NamedRows } from './named-rows.js'
import { resourceViewsOf, type ResourceView } from '../definition/resource-views.js'
import type { NameSource } from '../../events/definition/forms/form.js'

const shown = resourceViewsOf(roleDefinition)

/** The response of a read, which is also the list entry, is cached until a linked policy is renamed or removed. */
export class RoleRow {
  readonly link: Link
  readonly order: string
  #json = ''
  #namesVersion = -1

  constructor(
    readonly role: Role,
    readonly tenancy: Tenancy
  ) {
    this.link = { ID: role.ID, Name: role.Name }
    this.order = role.Name.toLowerCase()
  }

  /** The response of a read (acl.md §5). */
  json(names: NameSource): string {
    if (this.#namesVersion !== names.namesVersion) {
      this.#json = JSON.stringify(this.toObject(names))
      this.#namesVersion = names.namesVersion
    }
    return this.#json
  }

  toObject(names: NameSource): ResourceView {
    return shown(this.role, this.tenancy, { names })
  }
}

/** Roles, also by linked policy; their watch keys begin with `roles` and `role/`. */
export class Roles extends NamedRows<RoleRow, Role, RoleEvent, 'policy'> {
  constructor(watch: Watch, below?: Roles) {
    super(
      watch,
      {
        singular: 'role',
        plural: 'roles',
        events: roleEvents,
        rowOf: ({ Payload }, tenancy) => new RoleRow(Payload.ACLRole, tenancy),
        resourceOf: row => row.role,
        multi: { policy: row => row.role.Policies.map(link => link.ID) }
      },
      below
    )
  }

  /** The roles that link directly to the policy of this ID, in no order, in a list that never changes. */
  linkedTo(policyId: string): readonly RoleRow[] {
    return [...this.table.sharing('policy', policyId.toLowerCase())]
  }

  isLinked(policyId: string): boolean {
    return this.table.isShared('policy', policyId.toLowerCase())
  }
}
