// The restore of a snapshot (docs/decisions/0022).
import { createEvent, type Event } from '../../events/envelope.js'
import {
  RESTORE_KEY,
  SNAPSHOT_TOPIC,
  type SnapshotEvent,
  type SnapshotRestore
} from '../../events/snapshot.js'
import { isObject } from '../../events/values.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Command } from '../aggregate.js'
import { lifecycleOf } from '../lifecycle.js'
import { inCluster } from '../ref.js'
import { Refusal } from '../refusal.js'

type RestoreSnapshot = Command<'RestoreSnapshot', SnapshotRestore>

/** The name of the commands whose commits are pieces of a restore. */
export const RESTORE_PIECE = 'RestoreSnapshotPiece'

/** A piece of a restore: events that are possible now, and bounded in number and size. */
export type RestoreSnapshotPiece = Command<typeof RESTORE_PIECE, { readonly changes: readonly Event[] }>

type EndSnapshotRestore = Command<'EndSnapshotRestore', { readonly isComplete: boolean }>

export type SnapshotCommand = RestoreSnapshot | RestoreSnapshotPiece | EndSnapshotRestore

export const alreadyRestoring = (): Refusal =>
  new Refusal('snapshot.conflict', 'Another snapshot is being restored: try again when that has ended')

const restoreEvent = (Type: SnapshotEvent['Type'], restore: SnapshotEvent['Payload']['Restore']): Event =>
  createEvent({ Topic: SNAPSHOT_TOPIC, Type, Key: RESTORE_KEY, Payload: { Restore: restore } })

/** @throws Refusal `conflict` while another restore runs */
const decideSnapshot = (command: SnapshotCommand, views: Views, index: number): readonly Event[] => {
  const { current } = views.restore
  switch (command.name) {
    case 'RestoreSnapshot':
      if (current) throw alreadyRestoring()
      return [restoreEvent('SnapshotRestoreBegun', command.data)]
    case 'RestoreSnapshotPiece':
      return command.data.changes.map(event => within(event, index))
    case 'EndSnapshotRestore':
      return current
        ? [restoreEvent('SnapshotRestoreEnded', { ...current.restore, Complete: command.data.isComplete })]
        : []
  }
}

const INDEXES = ['CreateIndex', 'ModifyIndex'] as const

const isResourceWithin = (resource: unknown, index: number): unknown => {
  if (!isObject(resource)) return resource
  const beyond = INDEXES.filter(name => Number(resource[name] ?? 0) > index)
  return beyond.length === 0
    ? resource
    : { ...resource, ...Object.fromEntries(beyond.map(name => [name, index] as const)) }
}

/** Limits a resource's indexes to that of its commit. Those of a longer log are in the future and would break waits for changes and check-and-set. */
const within = (event: Event, index: number): Event => ({
  ...event,
  Payload: Object.fromEntries(
    Object.entries(event.Payload).map(
      ([name, resource]) => [name, isResourceWithin(resource, index)] as const
    )
  )
})

export const snapshotAggregate: Aggregate<SnapshotCommand> = {
  scope: 'cluster',
  lifecycle: lifecycleOf<SnapshotEvent>({
    topic: SNAPSHOT_TOPIC,
    states: { idle: { SnapshotRestoreBegun: 'restoring' }, restoring: { SnapshotRestoreEnded: 'idle' } },
    stateOf: views => (views.restore.current ? 'restoring' : 'idle')
  }),
  removals: ['EndSnapshotRestore'],
  decide: decideSnapshot
}

export const RESTORE = inCluster(SNAPSHOT_TOPIC, RESTORE_KEY)
