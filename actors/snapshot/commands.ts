// Commands on the restoring of a snapshot.
import type { Event } from '../../events/envelope.js'
import type { SnapshotRestore } from '../../events/snapshot.js'
import type { Command } from '../command.js'

/** Begins the restore of an archive that is proved and kept. */
export type RestoreSnapshot = Command<'RestoreSnapshot', SnapshotRestore>

/** The name of the commands whose commits are pieces of a restore. */
export const PIECE = 'RestoreSnapshotPiece'

/** A piece of a restore: events that are possible now, and bounded in number and size. */
export type RestoreSnapshotPiece = Command<typeof PIECE, { readonly changes: readonly Event[] }>

export type EndSnapshotRestore = Command<'EndSnapshotRestore', { readonly isComplete: boolean }>

export type SnapshotCommand = RestoreSnapshot | RestoreSnapshotPiece | EndSnapshotRestore
