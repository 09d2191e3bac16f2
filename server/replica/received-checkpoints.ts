// The checkpoints of a replica, which its source has signed.
import type { Checkpoints, SignedCheckpoint } from '../../actors/processes/checkpoints.js'
import type { NoteKey } from '../../events/log/evidence/note-keys.js'
import type { CheckpointNotes } from '../../http/wire/log-evidence.js'

export class ReceivedCheckpoints implements CheckpointNotes {
  #newest: SignedCheckpoint | undefined

  /** @param key of the log */
  constructor(readonly key: NoteKey) {}

  noteOf(size: number): string | undefined {
    return this.#newest?.size === size ? this.#newest.text : undefined
  }

  /** Shows a checkpoint, whose commits are in the log. */
  async take(checkpoint: SignedCheckpoint, checkpoints: Checkpoints): Promise<void> {
    if (checkpoints.newest?.text === checkpoint.text) return
    this.#newest = checkpoint
    await checkpoints.covering(checkpoint.size)
    // A witness may have signed it since.
    if (checkpoints.newest?.size === checkpoint.size) await checkpoints.keep(checkpoint)
  }
}
