// Read model of the ACL roles.
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import { isRoleEvent, ROLE_TOPIC } from '../../events/role.js'
import type { Projection } from '../projection.js'
import { Table, spaceOf } from '../table.js'
import type { Watch } from '../watch.js'
import { RoleRow } from './role-row.js'

/** Names are unique within a tenancy without regard to letter case (acl.md §5). */
const nameKey = (tenancy: Tenancy, name: string): string => `${spaceOf(tenancy)}/${name.toLowerCase()}`
const order = (row: RoleRow): string => row.role.Name.toLowerCase()

/**
 * Roles by ID, name and linked policy. Costs: look-ups O(1), a change O(1), a list O(roles listed).
 * Watch keys: `roles` for any change, `roles/<partition>/<namespace>` for those of a tenancy, `role/<id>` for one.
 */
export class Roles implements Projection {
  readonly topics = [ROLE_TOPIC]
  readonly #watch: Watch
  readonly #table = new Table<RoleRow, 'name', 'policy'>({
    key: row => row.role.ID,
    tenancy: row => row.tenancy,
    order,
    unique: { name: row => nameKey(row.tenancy, row.role.Name) },
    multi: { policy: row => row.role.Policies.map(link => link.ID) }
  })
  #namesVersion = 0

  constructor(watch: Watch) {
    this.#watch = watch
  }

  /** Index of the last change of any role. */
  get index(): number {
    return this.#table.index
  }

  /** Index of the last change of a role of this tenancy. */
  indexOf(tenancy: Tenancy): number {
    return this.#table.indexOf(tenancy)
  }

  /** Grows when a role is renamed or removed, so that texts with names in them can tell whether they still hold. */
  get namesVersion(): number {
    return this.#namesVersion
  }

  /** The role of this ID in any letter case. */
  get(id: string): RoleRow | undefined {
    return this.#table.get(id.toLowerCase())
  }

  /** The role of this name in a tenancy; letter case does not matter. */
  named(tenancy: Tenancy, name: string): RoleRow | undefined {
    return this.#table.find('name', nameKey(tenancy, name))
  }

  /** The roles of a tenancy, ordered by lower-cased name. */
  list(tenancy: Tenancy): readonly RoleRow[] {
    return this.#table.list(tenancy)
  }

  /** The roles of a tenancy in no order, while they are deleted: cheap to begin, whatever their number. */
  within(tenancy: Tenancy): Iterable<RoleRow> {
    return this.#table.within(tenancy)
  }

  /** The roles that link directly to the policy of this ID, in the order of lists. */
  linkedTo(policyId: string): readonly RoleRow[] {
    return [...this.#table.sharing('policy', policyId.toLowerCase())].toSorted((a, b) =>
      order(a) < order(b) ? -1 : 1
    )
  }

  apply(event: Event, commit: Commit): void {
    if (!isRoleEvent(event)) return
    const { ID, Name } = event.Payload.ACLRole
    if (event.Type === 'ACLRoleUpserted') {
      const tenancy = { partition: event.Partition, namespace: event.Namespace }
      const before = this.#table.put(new RoleRow(event.Payload.ACLRole, tenancy), commit.Index)
      if (before && before.role.Name !== Name) this.#namesVersion++
    } else if (this.#table.delete(ID, commit.Index)) this.#namesVersion++
    this.#watch.touch('roles')
    this.#watch.touch(`roles/${spaceOf({ partition: event.Partition, namespace: event.Namespace })}`)
    this.#watch.touch(`role/${ID}`)
  }

  reset(): void {
    this.#table.clear()
    this.#namesVersion++
  }

  *dump(): Iterable<unknown> {
    for (const row of [...this.#table.all()].toSorted((a, b) => (a.role.ID < b.role.ID ? -1 : 1)))
      yield [row.tenancy, row.role]
    yield this.index
  }
}
