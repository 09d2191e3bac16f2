// Replication of the primary datacenter's resources (spec: auth.md §11).
import { CLUSTER_TENANCY, type Event } from '../../events/envelope.js'
import {
  REPLICATION_KEY,
  type ReplicationEvent,
  replicationEvents,
  type ReplicationPosition
} from '../../events/replication.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Command } from '../aggregate.js'
import { lifecycleOf } from '../lifecycle.js'
import { inCluster } from '../ref.js'
import { ImportPlan } from './plan-import.js'

export type Replicate = Command<
  'Replicate',
  {
    /** Events of the primary, with its indexes and secrets; a deletion has the last state. */
    readonly changes: readonly Event[]
    /** The position after these changes; undefined when more changes follow. */
    readonly position?: ReplicationPosition | undefined
    /** True for a full copy, whose position does not follow the previous one. */
    readonly isFullCopy?: boolean | undefined
  }
>

/** Deletes the position: this datacenter becomes its own primary and diverges from the former one. */
type LeavePrimary = Command<'LeavePrimary', null>

export type ReplicationCommand = Replicate | LeavePrimary

// Lifecycle: a restored snapshot leaves the position unknown

/** The imported events, and sentences that explain skipped resources. */
export interface Replicated {
  readonly events: readonly Event[]
  readonly leftOut: readonly string[]
}

/** Commits without a difference that the next start may read again at most. */
const MAX_REPEATED_COMMITS = 10_000

const isWorthStoring = (
  to: ReplicationPosition,
  from: ReplicationPosition | undefined,
  isFullCopy: boolean
): boolean =>
  !from ||
  to.Log !== from.Log ||
  to.Incarnation !== from.Incarnation ||
  to.Datacenter !== from.Datacenter ||
  to.WithTokens !== from.WithTokens ||
  (isFullCopy && to.Hash !== from.Hash) ||
  (to.LeftOut ?? false) !== (from.LeftOut ?? false) ||
  to.Index < from.Index ||
  to.Index >= from.Index + MAX_REPEATED_COMMITS

const decideReplication = (
  { data: { changes, position, isFullCopy = false }, at }: Replicate,
  views: Views,
  index: number
): Replicated => {
  const plan = new ImportPlan(views, index, at)
  for (const change of changes) plan.take(change)
  const { events, leftOut } = plan
  const to = position && leftOut.length > 0 ? { ...position, LeftOut: true } : position
  const storesPosition =
    to && (events.length > 0 || isWorthStoring(to, views.replication.position, isFullCopy))
  return {
    events: storesPosition
      ? [...events, replicationEvents.create('ReplicationMoved', CLUSTER_TENANCY, to)]
      : events,
    leftOut
  }
}

const decideLeaving = ({ replication: { position } }: Views): Replicated => ({
  events: position ? [replicationEvents.create('ReplicationEnded', CLUSTER_TENANCY, position)] : [],
  leftOut: []
})

export const replicationAggregate: Aggregate<ReplicationCommand, Replicated> = {
  scope: 'cluster',
  lifecycle: lifecycleOf<ReplicationEvent>({
    topic: replicationEvents.topic,
    states: {
      unknown: { ReplicationMoved: 'known' },
      known: { ReplicationMoved: 'known', ReplicationEnded: 'unknown' }
    },
    stateOf: ({ replication }) => (replication.position ? 'known' : 'unknown')
  }),
  decide: (command, views, index) =>
    command.name === 'LeavePrimary' ? decideLeaving(views) : decideReplication(command, views, index)
}

export const REPLICATION = inCluster(replicationEvents.topic, REPLICATION_KEY)
