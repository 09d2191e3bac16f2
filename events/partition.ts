// Admin partitions: what a partition is, and the events of its life.
import type { Event } from './envelope.js'

/** An admin partition (spec: tenancy.md §4.1). Fields that were not given are absent. */
export interface Partition {
  readonly Name: string
  readonly Description?: string
  /** Kept for those who send it; has no effect. */
  readonly DisableGossip?: true
  /** RFC 3339, UTC; there from the moment it is marked for deletion. */
  readonly DeletedAt?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const PARTITION_TOPIC = 'Partition'
/** Also when the partition is marked for deletion: then `DeletedAt` is there. */
export type PartitionUpserted = Event<
  typeof PARTITION_TOPIC,
  'PartitionUpserted',
  { readonly Partition: Partition }
>
/** Finally removed: nothing was left in it. */
export type PartitionDeleted = Event<
  typeof PARTITION_TOPIC,
  'PartitionDeleted',
  { readonly Partition: Partition }
>
export type PartitionEvent = PartitionUpserted | PartitionDeleted

/** Tells a partition's events from others; what the log holds under this topic was written by us. */
export const isPartitionEvent = (event: Event): event is PartitionEvent => event.Topic === PARTITION_TOPIC
