// Read model of the namespaces.
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import { isNamespaceEvent, NAMESPACE_TOPIC, namespaceDefinition } from '../../events/namespace.js'
import type { NamespaceUpserted, Namespace } from '../../events/namespace.js'
import type { Projection } from '../projection.js'
import { fact } from '../saved-form.js'
import type { Fact } from '../saved-form.js'
import { Table, spaceOf } from '../table.js'
import type { Watch } from '../watch.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { currentLinks, resourceViewsOf } from '../definition/resource-views.js'
import type { NameSource } from '../definition/resource-views.js'

/** One namespace and its answers, serialised once per change. */
const shown = resourceViewsOf(namespaceDefinition)

/**
 * A namespace as the read model holds it. Its read forms are made when first asked for and kept until a
 * linked policy or role is renamed or removed.
 */
export class NamespaceRow {
  #json = ''
  #listJson = ''
  #namesVersion = -1

  constructor(
    readonly namespace: Namespace,
    readonly partition: string
  ) {}

  /** Whether it is marked for deletion. */
  get isEnding(): boolean {
    return this.namespace.DeletedAt !== undefined
  }

  /** The answer of a read (tenancy.md §2.1). */
  json(names: NameSource): string {
    this.#refresh(names)
    return this.#json
  }

  /** The entry in a list: without ACLs when nothing is linked. */
  listJson(names: NameSource): string {
    this.#refresh(names)
    return this.#listJson
  }

  #refresh(names: NameSource): void {
    if (this.#namesVersion === names.namesVersion) return
    const answer = shown(this.namespace, DEFAULT_TENANCY, { names })
    this.#json = JSON.stringify(answer)
    this.#listJson = this.#hasLinks(names) ? this.#json : JSON.stringify({ ...answer, ACLs: undefined })
    this.#namesVersion = names.namesVersion
  }

  /** Whether it links to anything that still exists. */
  #hasLinks(names: NameSource): boolean {
    const { PolicyDefaults = [], RoleDefaults = [] } = this.namespace.ACLs ?? {}
    return (
      currentLinks(PolicyDefaults, id => names.policyName(id)).length > 0 ||
      currentLinks(RoleDefaults, id => names.roleName(id)).length > 0
    )
  }
}

const tenancyOf = ({ namespace, partition }: NamespaceRow): Tenancy => ({
  partition,
  namespace: namespace.Name
})
/** Namespaces are in a partition and in no namespace. */
const within = (partition: string): Tenancy => ({ partition, namespace: '' })

/**
 * Namespaces by partition and name. Costs: look-ups O(1), a change O(1), a list O(namespaces of the
 * partition).
 * Watch keys: `namespaces` for any change, `namespaces/<partition>` for those of one partition,
 * `namespace/<partition>/<name>` for one.
 */
export class Namespaces implements Projection {
  readonly topics = [NAMESPACE_TOPIC]
  readonly #table = new Table<NamespaceRow, never, 'ending'>({
    key: row => spaceOf(tenancyOf(row)),
    tenancy: row => within(row.partition),
    order: row => row.namespace.Name,
    unique: {},
    multi: { ending: row => (row.isEnding ? ['yes'] : []) }
  })
  readonly memory = { indexes: this.#table.indexes }

  constructor(private readonly watch: Watch) {}

  /** Index of the last change of any namespace. */
  get index(): number {
    return this.#table.index
  }

  /** Index of the last change of a namespace of this partition. */
  indexOf(partition: string): number {
    return this.#table.indexOf(within(partition))
  }

  get(tenancy: Tenancy): NamespaceRow | undefined {
    return this.#table.get(spaceOf(tenancy))
  }

  /** The namespaces of a partition by name. */
  list(partition: string): readonly NamespaceRow[] {
    return this.#table.list(within(partition))
  }

  /** Those of a partition behind a name, or all, by name; see `Table.behind`. */
  behind(partition: string, after: string | undefined): Iterable<NamespaceRow> {
    return this.#table.behind(within(partition), after)
  }

  /** Those marked for deletion, in no order. */
  ending(): ReadonlySet<NamespaceRow> {
    return this.#table.sharing('ending', 'yes')
  }

  apply(event: Event, commit: Commit): void {
    if (!isNamespaceEvent(event)) return
    const row = new NamespaceRow(event.Payload.Namespace, event.Partition)
    const key = spaceOf(tenancyOf(row))
    if (event.Type === 'NamespaceUpserted') this.#table.put(row, commit.Index)
    else this.#table.delete(key, commit.Index)
    this.watch.touch('namespaces')
    this.watch.touch(`namespaces/${row.partition}`)
    this.watch.touch(`namespace/${key}`)
  }

  reset(): void {
    this.#table.clear()
  }

  *facts(): Iterable<Fact> {
    for (const { namespace, partition } of this.#table.ordered())
      yield fact<NamespaceUpserted>({
        Topic: NAMESPACE_TOPIC,
        Type: 'NamespaceUpserted',
        Key: namespace.Name,
        tenancy: within(partition),
        Index: namespace.ModifyIndex,
        Payload: { Namespace: namespace }
      })
  }
}
