// Events that mark the begin and end of a snapshot restore.
import type { Event } from './envelope.js'

export const SNAPSHOT_TOPIC = 'Snapshot'
export const RESTORE_KEY = 'restore'

export interface SnapshotRestore {
  /** SHA-256 of the archive's bytes, hex. */
  readonly Digest: string
  /** Index of the snapshot in its original log. */
  readonly SnapshotIndex: number
}

export type SnapshotRestoreBegun = Event<
  typeof SNAPSHOT_TOPIC,
  'SnapshotRestoreBegun',
  { readonly Restore: SnapshotRestore }
>
type SnapshotRestoreEnded = Event<
  typeof SNAPSHOT_TOPIC,
  'SnapshotRestoreEnded',
  /** `Complete` is false if the archive was lost before the end. */
  { readonly Restore: SnapshotRestore & { readonly Complete: boolean } }
>
export type SnapshotEvent = SnapshotRestoreBegun | SnapshotRestoreEnded

export const isSnapshotEvent = (event: Event): event is SnapshotEvent => event.Topic === SNAPSHOT_TOPIC
