import { DEFAULT_TENANCY, type Commit, type Event } from '../../events/envelope.js'
import {
  isPartitionEvent,
  type Partition,
  PARTITION_TOPIC,
  partitionDefinition,
  type PartitionUpserted
} from '../../events/namespace.js'
import type { Projection } from '../projection.js'
import { fact, type Fact } from '../saved-form.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { TableProjection } from '../table-projection.js'
import type { Watch } from '../watch.js'

interface PartitionRow {
  readonly partition: Partition
  readonly isEnding: boolean
  readonly json: string
}

const shown = resourceViewsOf(partitionDefinition)

const toRow = (partition: Partition): PartitionRow => ({
  partition,
  isEnding: partition.DeletedAt !== undefined,
  json: JSON.stringify(shown(partition, DEFAULT_TENANCY))
})

/** Partitions by name. Costs: look-ups O(1), a change O(1), a list O(partitions). Watch key: `partitions`. */
export class Partitions extends TableProjection<PartitionRow, never, 'ending'> implements Projection {
  readonly topics = [PARTITION_TOPIC]

  constructor(private readonly watch: Watch) {
    super({
      key: row => row.partition.Name,
      tenancy: () => DEFAULT_TENANCY,
      order: row => row.partition.Name,
      unique: {},
      multi: { ending: row => (row.isEnding ? ['yes'] : []) }
    })
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

  apply(event: Event, commit: Commit): void {
    if (!isPartitionEvent(event)) return
    const { Partition } = event.Payload
    if (event.Type === 'PartitionUpserted') this.table.put(toRow(Partition), commit.Index)
    else this.table.delete(Partition.Name, commit.Index)
    this.watch.touch('partitions')
  }

  protected factOf({ partition }: PartitionRow): Fact {
    return fact<PartitionUpserted>({
      Topic: PARTITION_TOPIC,
      Type: 'PartitionUpserted',
      Key: partition.Name,
      Index: partition.ModifyIndex,
      Payload: { Partition: partition }
    })
  }
}
