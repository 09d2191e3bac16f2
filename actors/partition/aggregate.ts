// The aggregate of admin partitions. They are things of the whole cluster.
import type { Aggregate } from '../aggregate.js'
import type { PartitionCommand } from './commands.js'
import { decidePartition } from './decide.js'
import { partitionLife } from './machine.js'

export const partitionAggregate: Aggregate<PartitionCommand> = {
  life: partitionLife,
  scope: 'cluster',
  decide: decidePartition
}
