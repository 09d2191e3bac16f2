// Decides the commands on admin partitions (spec: tenancy.md §4).
import type { Event } from '../../events/envelope.js'
import type { Partition } from '../../events/partition.js'
import { formatTime } from '../../events/time.js'
import type { Views } from '../../projections/views.js'
import { defaultNamespace } from '../namespace/events.js'
import { invalid, Refusal } from '../refusal.js'
import { checkNewName } from '../tenancy-name.js'
import type { DeletePartition, PartitionCommand, SetPartition } from './commands.js'
import { partitionDeleted, partitionUpserted } from './events.js'

const DEFAULT_DESCRIPTION = 'Builtin Default Partition'

const createDefault = (views: Views, index: number): Event[] =>
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

const set = ({ data, tenancy }: SetPartition, views: Views, index: number): Event[] => {
  const Name = tenancy.partition
  checkNewName('Partition', Name)
  const before = views.partitions.get(Name)
  if (before?.isEnding) throw new Refusal('conflict', `Partition "${Name}" is being deleted`)
  const Description = data.Description || (Name === 'default' ? DEFAULT_DESCRIPTION : '')
  const upserted = partitionUpserted({
    Name,
    ...(Description === '' ? {} : { Description }),
    ...(data.DisableGossip ? { DisableGossip: true } : {}),
    CreateIndex: before?.partition.CreateIndex ?? index,
    ModifyIndex: index
  })
  return before ? [upserted] : [upserted, defaultNamespace(Name, index)]
}

const mark = ({ tenancy, at }: DeletePartition, views: Views, index: number): Event[] => {
  const name = tenancy.partition
  if (name === 'default') throw invalid('Deletion of the builtin partition "default" is not permitted')
  const row = views.partitions.get(name)
  if (!row) throw new Refusal('missing', `Partition "${name}" does not exist`)
  if (row.isEnding) return []
  const { CreateIndex, ModifyIndex: _, ...head } = row.partition
  const marked: Partition = { ...head, DeletedAt: formatTime(at), CreateIndex, ModifyIndex: index }
  return [partitionUpserted(marked)]
}

/** @throws Refusal `invalid`; `missing`; `conflict` for a change of what is being deleted */
export const decidePartition = (command: PartitionCommand, views: Views, index: number): Event[] => {
  switch (command.name) {
    case 'CreateDefaultPartition':
      return createDefault(views, index)
    case 'SetPartition':
      return set(command, views, index)
    case 'DeletePartition':
      return mark(command, views, index)
    case 'RemovePartition': {
      const row = views.partitions.get(command.tenancy.partition)
      return row?.isEnding ? [partitionDeleted(row.partition)] : []
    }
  }
}
