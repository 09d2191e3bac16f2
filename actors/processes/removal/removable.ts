// What is removed in the background once it is marked for deletion: namespaces and admin partitions.
import type { Event, Tenancy } from '../../../events/envelope.js'
import { isNamespaceEvent } from '../../../events/namespace.js'
import { isPartitionEvent } from '../../../events/partition.js'
import type { Views } from '../../../projections/views.js'
import type { Command } from '../../command.js'
import { namespaceRef } from '../../namespace.js'
import { partitionRef } from '../../partition.js'
import type { ActorSystem } from '../../system.js'
import { namespaceLeftovers, namespaceMarks, partitionLeftovers, type Leftovers } from './leftovers.js'

/**
 * What must come to its end before the next phase begins: a deletion of things, or the end of other removals.
 */
export type Phase = readonly Leftovers[] | ((views: Views, tenancy: Tenancy) => boolean)

/** One kind of thing that is removed. Of a partition the tenancy is that of its namespace `default`. */
export interface Removable {
  readonly kind: string
  /** Those that are marked. */
  marked(views: Views): Iterable<Tenancy>
  /** The one that an event marks. */
  markedBy(event: Event): Tenancy | undefined
  /** Index of the commit that marked it; undefined when it is not marked, or not there. */
  markOf(views: Views, tenancy: Tenancy): number | undefined
  /** What is to be done, one after the other, until nothing is left in it. */
  readonly phases: readonly Phase[]
  /** Removes the thing itself. */
  remove(system: ActorSystem, common: Pick<Command, 'tenancy' | 'caller' | 'at' | 'cause'>): Promise<unknown>
}

const wholePartition = (partition: string): Tenancy => ({ partition, namespace: 'default' })

/** Spec: tenancy.md §3. */
export const removableNamespace: Removable = {
  kind: 'namespace',
  *marked({ namespaces }) {
    for (const { partition, namespace } of namespaces.ending()) yield { partition, namespace: namespace.Name }
  },
  markedBy: event =>
    isNamespaceEvent(event) && event.Type === 'NamespaceUpserted' && event.Payload.Namespace.DeletedAt
      ? { partition: event.Partition, namespace: event.Key }
      : undefined,
  markOf: ({ namespaces }, tenancy) => {
    const row = namespaces.get(tenancy)
    return row?.isEnding ? row.namespace.ModifyIndex : undefined
  },
  phases: [namespaceLeftovers],
  remove: (system, common) =>
    system.ask(namespaceRef(common.tenancy), { ...common, name: 'RemoveNamespace', data: null })
}

/** Spec: tenancy.md §4.3. */
export const removablePartition: Removable = {
  kind: 'partition',
  *marked({ partitions }) {
    for (const { partition } of partitions.ending()) yield wholePartition(partition.Name)
  },
  markedBy: event =>
    isPartitionEvent(event) && event.Type === 'PartitionUpserted' && event.Payload.Partition.DeletedAt
      ? wholePartition(event.Key)
      : undefined,
  markOf: ({ partitions }, { partition }) => {
    const row = partitions.get(partition)
    return row?.isEnding ? row.partition.ModifyIndex : undefined
  },
  phases: [
    [namespaceMarks],
    // Each of them is removed by a process of its own.
    ({ namespaces }, { partition }) => namespaces.list(partition).length === 0,
    partitionLeftovers
  ],
  remove: (system, common) =>
    system.ask(partitionRef(common.tenancy), { ...common, name: 'RemovePartition', data: null })
}
