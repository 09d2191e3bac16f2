// Admin partitions (spec: tenancy.md §4).
import { CLUSTER_TENANCY, type Event, type Tenancy } from '../events/envelope.js'
import {
  type Partition,
  PARTITION_TOPIC,
  partitionDefinition,
  type PartitionEvent,
  partitionEvents,
  type PartitionInput
} from '../events/namespace.js'
import { formatTime } from '../events/time.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { contentsOf } from './content.js'
import { lifecycleOf } from './lifecycle.js'
import { defaultNamespace } from './namespace.js'
import { type ActorRef, inCluster } from './ref.js'
import { invalid, Refusal } from './refusal.js'
import { checkNewName } from './tenancy.js'

// Commands: the partition of the tenancy is the one that the command changes

/** Creates the partition `default` with its namespace `default` unless they exist. */
type CreateDefaultPartition = Command<'CreateDefaultPartition', null>
/** Creates the partition with its namespace `default`, or replaces its content. */
type SetPartition = Command<'SetPartition', PartitionInput>
/** Marks the partition for deletion; its content is deleted in the background. */
type DeletePartition = Command<'DeletePartition', null>
type RemovePartition = Command<'RemovePartition', null>
export const partitionRef = ({ partition }: Tenancy): ActorRef<typeof PARTITION_TOPIC> =>
  inCluster(PARTITION_TOPIC, partition)
type PartitionCommand = CreateDefaultPartition | SetPartition | DeletePartition | RemovePartition

// Lifecycle: after the mark, commands allow only the removal; a restored snapshot may set every state

const upserted = {
  live: ({ Payload }: PartitionEvent) => Payload.Partition.DeletedAt === undefined,
  deleting: ({ Key, Payload }: PartitionEvent) =>
    Payload.Partition.DeletedAt !== undefined && Key !== 'default'
}

const DEFAULT_DESCRIPTION = 'Builtin Default Partition'

const createDefault = (_command: CreateDefaultPartition, views: Views, index: number): Event[] =>
  views.partitions.get('default')
    ? []
    : [
        partitionUpserted({
          Name: 'default',
          Description: DEFAULT_DESCRIPTION,
          CreateIndex: index,
          ModifyIndex: index
        }),
        defaultNamespace('default', index)
      ]

const contentOf = contentsOf(partitionDefinition)

const set = ({ data, tenancy }: SetPartition, views: Views, index: number): Event[] => {
  const Name = tenancy.partition
  checkNewName('Partition', Name)
  const before = views.partitions.get(Name)
  if (before?.isEnding) throw new Refusal('tenancy.deleting', `Partition "${Name}" is being deleted`)
  const Description = data.Description || (Name === 'default' ? DEFAULT_DESCRIPTION : '')
  const written = partitionUpserted({
    Name,
    ...contentOf(data, { Description }),
    CreateIndex: before?.partition.CreateIndex ?? index,
    ModifyIndex: index
  })
  return before ? [written] : [written, defaultNamespace(Name, index)]
}

const mark = ({ tenancy, at }: DeletePartition, views: Views, index: number): Event[] => {
  const name = tenancy.partition
  if (name === 'default')
    throw invalid('partition.built-in', 'Deletion of the builtin partition "default" is not permitted')
  const row = views.partitions.get(name)
  if (!row) throw new Refusal('partition.not-found', `Partition "${name}" does not exist`)
  if (row.isEnding) return []
  const { CreateIndex, ModifyIndex: _, ...head } = row.partition
  const marked: Partition = { ...head, DeletedAt: formatTime(at), CreateIndex, ModifyIndex: index }
  return [partitionUpserted(marked)]
}

const remove = ({ tenancy }: RemovePartition, views: Views): Event[] => {
  const row = views.partitions.get(tenancy.partition)
  return row?.isEnding ? [partitionEvents.create('PartitionDeleted', CLUSTER_TENANCY, row.partition)] : []
}

export const partitionUpserted = (partition: Partition): PartitionEvent =>
  partitionEvents.create('PartitionUpserted', CLUSTER_TENANCY, partition)

export const partitionAggregate: Aggregate<PartitionCommand> = {
  lifecycle: lifecycleOf<PartitionEvent>({
    topic: PARTITION_TOPIC,
    states: {
      absent: { PartitionUpserted: upserted },
      live: { PartitionUpserted: upserted, PartitionDeleted: 'absent' },
      deleting: { PartitionUpserted: upserted, PartitionDeleted: 'absent' }
    },
    stateOf: ({ partitions }, { key }) => {
      const row = partitions.get(key)
      return row ? (row.isEnding ? 'deleting' : 'live') : 'absent'
    }
  }),
  scope: 'cluster',
  removals: ['DeletePartition', 'RemovePartition'],
  decide: decideBy({
    CreateDefaultPartition: createDefault,
    SetPartition: set,
    DeletePartition: mark,
    RemovePartition: remove
  })
}
