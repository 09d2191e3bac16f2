// Replication of the primary datacenter's resources (spec: auth.md §11).
import { createEvent, type Event } from '../../events/envelope.js'
import {
  REPLICATION_KEY,
  REPLICATION_TOPIC,
  type ReplicationEnded,
  type ReplicationMoved,
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
  return { events: storesPosition ? [...events, replicationMoved(to)] : events, leftOut }
}

const decideLeaving = ({ replication: { position } }: Views): Replicated => ({
  events: position ? [replicationEnded(position)] : [],
  leftOut: []
})

const replicationEvent =
  <const Type extends 'ReplicationMoved' | 'ReplicationEnded'>(Type: Type) =>
  (position: ReplicationPosition) =>
    createEvent({ Topic: REPLICATION_TOPIC, Type, Key: REPLICATION_KEY, Payload: { Replication: position } })

const replicationMoved = replicationEvent('ReplicationMoved')
const replicationEnded = replicationEvent('ReplicationEnded')

export const replicationAggregate: Aggregate<ReplicationCommand, Replicated> = {
  scope: 'cluster',
  lifecycle: lifecycleOf<ReplicationMoved | ReplicationEnded>({
    topic: REPLICATION_TOPIC,
    states: {
      unknown: { ReplicationMoved: 'known' },
      known: { ReplicationMoved: 'known', ReplicationEnded: 'unknown' }
    },
    stateOf: ({ replication }) => (replication.position ? 'known' : 'unknown')
  }),
  decide: (command, views, index) =>
    command.name === 'LeavePrimary' ? decideLeaving(views) : decideReplication(command, views, index)
}

export const REPLICATION = inCluster(REPLICATION_TOPIC, REPLICATION_KEY)
