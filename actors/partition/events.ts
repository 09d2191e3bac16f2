// Makes the events of admin partitions.
import {
  PARTITION_TOPIC,
  type Partition,
  type PartitionDeleted,
  type PartitionUpserted
} from '../../events/partition.js'
import { makeEvent } from '../make-event.js'

export const partitionUpserted = (partition: Partition): PartitionUpserted =>
  makeEvent({
    Topic: PARTITION_TOPIC,
    Type: 'PartitionUpserted',
    Key: partition.Name,
    Payload: { Partition: partition }
  })

export const partitionDeleted = (partition: Partition): PartitionDeleted =>
  makeEvent({
    Topic: PARTITION_TOPIC,
    Type: 'PartitionDeleted',
    Key: partition.Name,
    Payload: { Partition: partition }
  })
