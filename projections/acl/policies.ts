// Read model of the ACL policies.
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import { isPolicyEvent, POLICY_TOPIC, type Policy } from '../../events/policy.js'
import type { Projection } from '../projection.js'
import { shownTenancy } from '../shown-tenancy.js'
import { Table, spaceOf } from '../table.js'
import type { Watch } from '../watch.js'

export interface PolicyRow {
  readonly policy: Policy
  readonly tenancy: Tenancy
  /** The answer of a read, serialised once. */
  readonly json: string
  /** The entry in a list: without Rules, Datacenters always there. */
  readonly listJson: string
}

/** Names are unique within a tenancy without regard to letter case (acl.md §4.3). */
const nameKey = (tenancy: Tenancy, name: string): string => `${spaceOf(tenancy)}/${name.toLowerCase()}`

const toRow = (policy: Policy, tenancy: Tenancy): PolicyRow => {
  const { Rules, Datacenters, Hash, CreateIndex, ModifyIndex, ...head } = policy
  const tail = { ...shownTenancy(tenancy), Hash, CreateIndex, ModifyIndex }
  return {
    policy,
    tenancy,
    json: JSON.stringify({ ...head, Rules, ...(Datacenters.length > 0 ? { Datacenters } : {}), ...tail }),
    listJson: JSON.stringify({ ...head, Datacenters: Datacenters.length > 0 ? Datacenters : null, ...tail })
  }
}

/**
 * Policies by ID and by name. Costs: look-ups O(1), a change O(1), a list O(policies of the tenancy).
 * Watch keys: `policies` for any change, `policies/<partition>/<namespace>` for those of a tenancy, `policy/<id>` for one.
 */
export class Policies implements Projection {
  readonly topics = [POLICY_TOPIC]
  readonly #watch: Watch
  readonly #table = new Table<PolicyRow, 'name'>({
    key: row => row.policy.ID,
    tenancy: row => row.tenancy,
    order: row => row.policy.Name.toLowerCase(),
    unique: { name: row => nameKey(row.tenancy, row.policy.Name) },
    multi: {}
  })
  #namesVersion = 0

  constructor(watch: Watch) {
    this.#watch = watch
  }

  /** Index of the last change of any policy. */
  get index(): number {
    return this.#table.index
  }

  /** Index of the last change of a policy of this tenancy. */
  indexOf(tenancy: Tenancy): number {
    return this.#table.indexOf(tenancy)
  }

  /** Grows when a policy is renamed or removed, so that texts with names in them can tell whether they still hold. */
  get namesVersion(): number {
    return this.#namesVersion
  }

  /** The policy of this ID in any letter case. */
  get(id: string): PolicyRow | undefined {
    return this.#table.get(id.toLowerCase())
  }

  /** The policy of this name in a tenancy; letter case does not matter. */
  named(tenancy: Tenancy, name: string): PolicyRow | undefined {
    return this.#table.find('name', nameKey(tenancy, name))
  }

  /** The policies of a tenancy, ordered by lower-cased name. */
  list(tenancy: Tenancy): readonly PolicyRow[] {
    return this.#table.list(tenancy)
  }

  /** The policies of a tenancy in no order, while they are deleted: cheap to begin, whatever their number. */
  within(tenancy: Tenancy): Iterable<PolicyRow> {
    return this.#table.within(tenancy)
  }

  apply(event: Event, commit: Commit): void {
    if (!isPolicyEvent(event)) return
    const { ID, Name } = event.Payload.ACLPolicy
    if (event.Type === 'ACLPolicyUpserted') {
      const tenancy = { partition: event.Partition, namespace: event.Namespace }
      const before = this.#table.put(toRow(event.Payload.ACLPolicy, tenancy), commit.Index)
      if (before && before.policy.Name !== Name) this.#namesVersion++
    } else if (this.#table.delete(ID, commit.Index)) this.#namesVersion++
    this.#watch.touch('policies')
    this.#watch.touch(`policies/${spaceOf({ partition: event.Partition, namespace: event.Namespace })}`)
    this.#watch.touch(`policy/${ID}`)
  }

  reset(): void {
    this.#table.clear()
    this.#namesVersion++
  }

  *dump(): Iterable<unknown> {
    for (const row of [...this.#table.all()].toSorted((a, b) => (a.policy.ID < b.policy.ID ? -1 : 1)))
      yield [row.tenancy, row.policy]
    yield this.index
  }
}
