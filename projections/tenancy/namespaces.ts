import {
  type Partition,
  partitionDefinition,
  type PartitionEvent,
  partitionEvents,
  namespaceDefinition,
  namespaceEvents,
  type Namespace,
  type NamespaceEvent
} from '../../events/namespace.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { currentLinks } from '../../events/definition/forms/links.js'
import type { NameSource } from '../../events/definition/forms/form.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import { TableProjection } from '../table-projection.js'
import { spaceOf } from '../row-table.js'
import type { Watch } from '../watch.js'

const shown = resourceViewsOf(namespaceDefinition)

/** The responses of reads are cached until a linked policy or role is renamed or removed. */
export class NamespaceRow {
  #json = ''
  #listJson = ''
  #namesVersion = -1

  constructor(
    readonly namespace: Namespace,
    readonly partition: string
  ) {}

  get isEnding(): boolean {
    return this.namespace.DeletedAt !== undefined
  }

  /** The response of a read (tenancy.md §2.1). */
  json(names: NameSource): string {
    this.#refresh(names)
    return this.#json
  }

  /** The entry in a list, without ACLs if there are no links. */
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

  /** Ignores links to deleted targets. */
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
 * Namespaces by partition and name. Costs: look-ups and changes O(1), a list O(namespaces of the partition).
 * Watch keys: `namespaces`, `namespaces/<partition>` and `namespace/<partition>/<name>`.
 */
export class Namespaces extends TableProjection<NamespaceRow, Namespace, NamespaceEvent, never, 'ending'> {
  constructor(watch: Watch, below?: Namespaces) {
    super(
      watch,
      {
        events: namespaceEvents,
        rowOf: ({ Payload, Partition }) => new NamespaceRow(Payload.Namespace, Partition),
        resourceOf: row => row.namespace,
        watched: ({ partition }, name) => [
          'namespaces',
          `namespaces/${partition}`,
          `namespace/${partition}/${name}`
        ],
        keyOf: (namespace, { partition }) => spaceOf({ partition, namespace }),
        key: row => spaceOf(tenancyOf(row)),
        tenancy: row => within(row.partition),
        order: row => row.namespace.Name,
        unique: {},
        multi: { ending: row => (row.isEnding ? ['yes'] : []) }
      },
      below
    )
  }

  indexOf(partition: string): number {
    return this.table.indexOf(within(partition))
  }

  get(tenancy: Tenancy): NamespaceRow | undefined {
    return this.table.get(spaceOf(tenancy))
  }

  list(partition: string): readonly NamespaceRow[] {
    return this.table.list(within(partition))
  }

  names(partition: string): readonly string[] {
    return this.list(partition).map(({ namespace }) => namespace.Name)
  }

  /** The namespaces of a partition after a name, or all, by name; see `Table.behind`. */
  behind(partition: string, after: string | undefined): Iterable<NamespaceRow> {
    return this.table.behind(within(partition), after)
  }

  ending(): ReadonlySet<NamespaceRow> {
    return this.table.sharing('ending', 'yes')
  }
}

interface PartitionRow {
  readonly partition: Partition
  readonly isEnding: boolean
  readonly json: string
}

const shownPartition = resourceViewsOf(partitionDefinition)

const toRow = (partition: Partition): PartitionRow => ({
  partition,
  isEnding: partition.DeletedAt !== undefined,
  json: JSON.stringify(shownPartition(partition, DEFAULT_TENANCY))
})

/** Partitions by name. Costs: look-ups O(1), a change O(1), a list O(partitions). Watch key: `partitions`. */
export class Partitions extends TableProjection<PartitionRow, Partition, PartitionEvent, never, 'ending'> {
  constructor(watch: Watch, below?: Partitions) {
    super(
      watch,
      {
        events: partitionEvents,
        rowOf: ({ Payload }) => toRow(Payload.Partition),
        resourceOf: row => row.partition,
        watched: () => ['partitions'],
        key: row => row.partition.Name,
        order: row => row.partition.Name,
        unique: {},
        multi: { ending: row => (row.isEnding ? ['yes'] : []) }
      },
      below
    )
  }

  get(name: string): PartitionRow | undefined {
    return this.table.get(name)
  }

  list(): readonly PartitionRow[] {
    return this.table.list(DEFAULT_TENANCY)
  }

  ending(): ReadonlySet<PartitionRow> {
    return this.table.sharing('ending', 'yes')
  }
}
