// Commands on admin partitions (spec: tenancy.md §4). The partition of each command's tenancy is the one it is about.
import type { Command } from '../command.js'

/** What a caller may say of a partition. */
export interface PartitionDraft {
  readonly Description: string
  readonly DisableGossip: boolean
}

/** Makes the partition `default` with its namespace `default` unless they are there. */
export type CreateDefaultPartition = Command<'CreateDefaultPartition', null>
/** Creates the partition with its namespace `default`, or replaces what it says. */
export type SetPartition = Command<'SetPartition', PartitionDraft>
/** Marks the partition for deletion; what is in it goes in the background. */
export type DeletePartition = Command<'DeletePartition', null>
/** Removes the marked partition, in which nothing is left. */
export type RemovePartition = Command<'RemovePartition', null>
export type PartitionCommand = CreateDefaultPartition | SetPartition | DeletePartition | RemovePartition
