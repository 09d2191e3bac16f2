// The life of an admin partition. Commands let only its end follow its mark; a restored snapshot may set every state.
import { setup } from 'xstate'
import { isPartitionEvent, PARTITION_TOPIC, type PartitionEvent } from '../../events/partition.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: PartitionEvent['Type']
  readonly event: PartitionEvent
}

const isMarked = ({ event }: Happening): boolean => event.Payload.Partition.DeletedAt !== undefined

const upserted = [
  { target: 'live', guard: 'isUnmarked' },
  { target: 'deleting', guard: 'isMarkable' }
] as const

const partitionMachine = setup({
  types: { events: {} as Happening },
  guards: {
    isUnmarked: ({ event }) => !isMarked(event),
    isMarkable: ({ event }) => isMarked(event) && event.event.Key !== 'default'
  }
}).createMachine({
  id: PARTITION_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { PartitionUpserted: upserted } },
    live: { on: { PartitionUpserted: upserted, PartitionDeleted: 'absent' } },
    deleting: { on: { PartitionUpserted: upserted, PartitionDeleted: 'absent' } }
  }
})

export const partitionLife: Life = {
  topic: PARTITION_TOPIC,
  machine: partitionMachine,
  stateOf: (views, event) => {
    const row = isPartitionEvent(event) ? views.partitions.get(event.Key) : undefined
    return row ? (row.isEnding ? 'deleting' : 'live') : 'absent'
  }
}
