// The restoring of a snapshot: that it began, and that it came to its end. What lies between are events of what it changes.
import type { Event } from './envelope.js'

export const SNAPSHOT_TOPIC = 'Snapshot'
/** One snapshot is restored at a time. */
export const RESTORE_KEY = 'restore'

export interface SnapshotRestore {
  /** SHA-256 of the archive's bytes, hex. */
  readonly Digest: string
  /** Index of the snapshot in the log that it was taken of. */
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
  /** `Complete` is false where its archive was lost, and the state is between the two. */
  { readonly Restore: SnapshotRestore & { readonly Complete: boolean } }
>
export type SnapshotEvent = SnapshotRestoreBegun | SnapshotRestoreEnded

/** Tells these events from others; what the log holds under this topic was written by us. */
export const isSnapshotEvent = (event: Event): event is SnapshotEvent => event.Topic === SNAPSHOT_TOPIC
