// The snapshots and base snapshots in the folder of a log. Loaded without the server.
import type { BaseSnapshots } from '../events/log/snapshots/base-snapshots.js'
import type { SnapshotBuilder } from '../events/log/snapshots/format.js'
import type { Snapshots } from '../events/log/snapshots/snapshots.js'
import type { SnapshotStores } from './restore-views.js'
import { SNAPSHOT_VERSION } from './projection.js'
import { programVersion } from '../events/version.js'

interface LogInFolder {
  snapshots(maker: SnapshotBuilder): Snapshots
  bases(maker: SnapshotBuilder): BaseSnapshots
}

/** @param comesLater see `SnapshotStores` */
export const snapshotStoresIn = (log: LogInFolder, comesLater = false): SnapshotStores => {
  const maker = { program: programVersion(), form: SNAPSHOT_VERSION }
  return { snapshots: log.snapshots(maker), bases: log.bases(maker), comesLater }
}
