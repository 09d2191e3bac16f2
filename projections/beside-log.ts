// What stands beside a log in a folder: snapshots, and the base of one that has let commits go. Loaded without the server.
import type { Bases } from '../events/log/snapshots/bases.js'
import type { SnapshotMaker, Snapshots } from '../events/log/snapshots/snapshots.js'
import type { Beside } from './restore.js'
import { SAVED_FORM } from './saved.js'
import { programVersion } from '../events/version.js'

/** A log that has a place beside it. */
interface LogInFolder {
  snapshots(maker: SnapshotMaker): Snapshots
  bases(maker: SnapshotMaker): Bases
}

export const besideLog = (log: LogInFolder): Beside => {
  const maker = { program: programVersion(), form: SAVED_FORM }
  return { snapshots: log.snapshots(maker), bases: log.bases(maker) }
}
