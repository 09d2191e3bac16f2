// The aggregate of the restoring of snapshots.
import type { Aggregate } from '../aggregate.js'
import type { SnapshotCommand } from './commands.js'
import { decideSnapshot } from './decide.js'
import { snapshotLifecycle } from './machine.js'

export const snapshotAggregate: Aggregate<SnapshotCommand> = {
  scope: 'cluster',
  lifecycle: snapshotLifecycle,
  decide: decideSnapshot
}
