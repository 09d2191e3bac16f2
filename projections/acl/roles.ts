// Read model of the ACL roles.
import type { Commit, Event } from '../../events/envelope.js'
import { isRoleEvent, ROLE_TOPIC, type RoleUpserted } from '../../events/role.js'
import type { Projection } from '../projection.js'
import { fact, type Fact } from '../saved-form.js'
import { tenancyOf } from '../tenancy-of.js'
import type { Watch } from '../watch.js'
import { NamedRows } from './named-rows.js'
import { RoleRow } from './role-row.js'

/** Roles, also by linked policy; their watch keys begin with `roles` and `role/`. */
export class Roles extends NamedRows<RoleRow, 'policy'> implements Projection {
  readonly topics = [ROLE_TOPIC]

  constructor(watch: Watch) {
    super(watch, {
      singular: 'role',
      plural: 'roles',
      idOf: row => row.role.ID,
      nameOf: row => row.role.Name,
      multi: { policy: row => row.role.Policies.map(link => link.ID) }
    })
  }

  /** The roles that link directly to the policy of this ID, in the order of lists. */
  linkedTo(policyId: string): readonly RoleRow[] {
    return this.sharing('policy', policyId.toLowerCase())
  }

  apply(event: Event, commit: Commit): void {
    if (!isRoleEvent(event)) return
    const role = event.Payload.ACLRole
    const tenancy = tenancyOf(event)
    if (event.Type === 'ACLRoleUpserted') this.put(new RoleRow(role, tenancy), event, commit.Index)
    else this.delete(role.ID, event, commit.Index)
  }

  protected factOf({ tenancy, role }: RoleRow): Fact {
    return fact<RoleUpserted>({
      Topic: ROLE_TOPIC,
      Type: 'ACLRoleUpserted',
      Key: role.ID,
      tenancy,
      Index: role.ModifyIndex,
      Payload: { ACLRole: role }
    })
  }
}
