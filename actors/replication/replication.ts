// Taking over what the primary datacenter has (spec: auth.md §11).
import { setup } from 'xstate'
import type { Event } from '../../events/envelope.js'
import {
  REPLICATION_KEY,
  REPLICATION_TOPIC,
  type ReplicationEnded,
  type ReplicationMoved,
  type ReplicationPosition
} from '../../events/replication.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Effects } from '../aggregate.js'
import type { Command } from '../command.js'
import type { Lifecycle, MachineEvent } from '../lifecycle.js'
import { createEvent } from '../create-event.js'
import { inCluster } from '../ref.js'
import { ImportPlan } from './plan-import.js'

/** Makes things as they are in the primary: what differs here. Bounded in number and size by whoever sends it. */
export type Replicate = Command<
  'Replicate',
  {
    /** What became of things there, with the indexes and secrets that they have there; an end has the last state. */
    readonly changes: readonly Event[]
    /** Up to where that is everything; undefined where more has to follow. */
    readonly position?: ReplicationPosition | undefined
    /** Whether everything was told anew: what came before the position is not what was told before. */
    readonly isWhole?: boolean | undefined
  }
>

/** Forgets the position: this datacenter is its own primary, and writes what its former primary does not have. */
type LeavePrimary = Command<'LeavePrimary', null>

export type ReplicationCommand = Replicate | LeavePrimary

const effects: Effects<ReplicationCommand> = {
  Replicate: 'change',
  LeavePrimary: 'change'
}

// Lifecycle: after the restore of a snapshot it is not known how far that had come

const replicationMachine = setup({
  types: { events: {} as MachineEvent<ReplicationMoved | ReplicationEnded> }
}).createMachine({
  id: REPLICATION_TOPIC,
  initial: 'unknown',
  states: {
    unknown: { on: { ReplicationMoved: 'known' } },
    known: { on: { ReplicationMoved: 'known', ReplicationEnded: 'unknown' } }
  }
})

const replicationLifecycle: Lifecycle = {
  topic: REPLICATION_TOPIC,
  machine: replicationMachine,
  endings: ['ReplicationEnded'],
  stateOf: ({ replication }) => (replication.position ? 'known' : 'unknown')
}

/** What was taken over, and sentences that say what could not be, and why. */
export interface Replicated {
  readonly events: readonly Event[]
  readonly leftOut: readonly string[]
}

/** Where nothing differs: a start may read again what has come since, but not without end. */
const MOST_TO_READ_AGAIN = 10_000

const isWorthTelling = (
  to: ReplicationPosition,
  from: ReplicationPosition | undefined,
  isWhole: boolean
): boolean =>
  !from ||
  to.Log !== from.Log ||
  to.Incarnation !== from.Incarnation ||
  to.Datacenter !== from.Datacenter ||
  to.WithTokens !== from.WithTokens ||
  (isWhole && to.Hash !== from.Hash) ||
  (to.LeftOut ?? false) !== (from.LeftOut ?? false) ||
  to.Index < from.Index ||
  to.Index >= from.Index + MOST_TO_READ_AGAIN

const decideReplication = (
  { data: { changes, position, isWhole = false }, at }: Replicate,
  views: Views,
  index: number
): Replicated => {
  const copying = new ImportPlan(views, index, at)
  for (const change of changes) copying.take(change)
  const { events, leftOut } = copying
  const to = position && leftOut.length > 0 ? { ...position, LeftOut: true } : position
  const isTold = to && (events.length > 0 || isWorthTelling(to, views.replication.position, isWhole))
  return { events: isTold ? [...events, replicationMoved(to)] : events, leftOut }
}

const decideLeaving = ({ replication: { position } }: Views): Replicated => ({
  events: position ? [replicationEnded(position)] : [],
  leftOut: []
})

const replicationMoved = (position: ReplicationPosition): ReplicationMoved =>
  createEvent({
    Topic: REPLICATION_TOPIC,
    Type: 'ReplicationMoved',
    Key: REPLICATION_KEY,
    Payload: { Replication: position }
  })

const replicationEnded = (position: ReplicationPosition): ReplicationEnded =>
  createEvent({
    Topic: REPLICATION_TOPIC,
    Type: 'ReplicationEnded',
    Key: REPLICATION_KEY,
    Payload: { Replication: position }
  })

export const replicationAggregate: Aggregate<ReplicationCommand, Replicated> = {
  scope: 'cluster',
  lifecycle: replicationLifecycle,
  effects,
  decide: (command, views, index) =>
    command.name === 'LeavePrimary' ? decideLeaving(views) : decideReplication(command, views, index)
}

/** What this datacenter has taken over, as an actor. */
export const REPLICATION = inCluster(REPLICATION_TOPIC, REPLICATION_KEY)
