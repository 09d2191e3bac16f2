// Decides the commands on the restoring of a snapshot (docs/decisions/0022).
import type { Event } from '../../events/envelope.js'
import { RESTORE_KEY, SNAPSHOT_TOPIC } from '../../events/snapshot.js'
import type { Views } from '../../projections/views.js'
import { makeEvent } from '../make-event.js'
import { Refusal } from '../refusal.js'
import type { EndSnapshotRestore, RestoreSnapshot, SnapshotCommand } from './commands.js'
import { within } from './within.js'

/** What a second restore is told. */
export const alreadyRestoring = (): Refusal =>
  new Refusal('conflict', 'Another snapshot is being restored: try again when that has ended')

const begin = ({ data }: RestoreSnapshot, views: Views): readonly Event[] => {
  if (views.restore.current) throw alreadyRestoring()
  return [
    makeEvent({
      Topic: SNAPSHOT_TOPIC,
      Type: 'SnapshotRestoreBegun',
      Key: RESTORE_KEY,
      Payload: { Restore: data }
    })
  ]
}

const end = ({ data }: EndSnapshotRestore, views: Views): readonly Event[] => {
  const current = views.restore.current
  if (!current) return []
  return [
    makeEvent({
      Topic: SNAPSHOT_TOPIC,
      Type: 'SnapshotRestoreEnded',
      Key: RESTORE_KEY,
      Payload: { Restore: { ...current.restore, Complete: data.isComplete } }
    })
  ]
}

/** @throws Refusal `conflict` when another restore is under way */
export const decideSnapshot = (command: SnapshotCommand, views: Views, index: number): readonly Event[] => {
  switch (command.name) {
    case 'RestoreSnapshot':
      return begin(command, views)
    case 'RestoreSnapshotPiece':
      return command.data.changes.map(event => within(event, index))
    case 'EndSnapshotRestore':
      return end(command, views)
  }
}
