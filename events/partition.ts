// Admin partitions: what a partition is, and the events of its life.
import type { Event } from './envelope.js'
import { indexes } from './definition/common.js'
import { optionalWritable, generated, optionallyGenerated, defineResource } from './definition/fields.js'
import { booleanType, textType, timeType } from './definition/value-types.js'
import type { Input, Stored } from './definition/types.js'

/** Spec: tenancy.md §4.1. Omitted fields are absent. */
export const partitionDefinition = defineResource({
  name: 'Partition',
  example: {
    given: { Name: 'east', Description: 'What runs in the east' },
    made: { CreateIndex: 48, ModifyIndex: 48 }
  },
  fields: {
    Name: generated(textType, 'A DNS label: 1 to 63 letters, digits and hyphens'),
    Description: optionalWritable(textType, 'Free text'),
    DisableGossip: optionalWritable(booleanType, 'Kept; has no effect'),
    DeletedAt: optionallyGenerated(timeType, 'There while it is being deleted, RFC 3339; set by the service'),
    ...indexes
  }
})

export type Partition = Stored<typeof partitionDefinition.fields>
export type PartitionInput = Input<typeof partitionDefinition.fields>

export const PARTITION_TOPIC = 'Partition'
/** `DeletedAt` marks a partition whose deletion has begun. */
export type PartitionUpserted = Event<
  typeof PARTITION_TOPIC,
  'PartitionUpserted',
  { readonly Partition: Partition }
>
/** The deletion is complete. */
type PartitionDeleted = Event<
  typeof PARTITION_TOPIC,
  'PartitionDeleted',
  { readonly Partition: Partition }
>
export type PartitionEvent = PartitionUpserted | PartitionDeleted

export const isPartitionEvent = (event: Event): event is PartitionEvent => event.Topic === PARTITION_TOPIC
