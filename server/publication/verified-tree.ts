// The tree of a source of public files, verified against its signed checkpoint.
import { rethrowAs } from '../../events/errors.js'
import { MalformedNote, type NoteKey } from '../../events/log/evidence/note-keys.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import { openCheckpoint, type TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
import { MerkleTree } from '../../events/log/tree/tree.js'
import { requiredFile, tilesIn, type PublicFiles } from './public-files.js'

export const CHECKPOINT_FILE = 'checkpoint'
/** Limit of a note. */
export const MAX_NOTE_BYTES = 1_000_000

export interface SourceHead {
  readonly head: TreeHead
  /** The signed checkpoint. */
  readonly note: Buffer
}

/** Returns what a signed file of a source has. @throws MalformedNote naming the file */
export const openSigned = <Opened>({ place }: PublicFiles, path: string, open: () => Opened): Opened =>
  rethrowAs(open, MalformedNote, message => new MalformedNote(`${path} of ${place}: ${message}`))

/** @throws MalformedNote unless a key has signed the note */
export const openHead = (files: PublicFiles, note: Buffer, keys: readonly NoteKey[]): SourceHead => ({
  head: openSigned(files, CHECKPOINT_FILE, () => openCheckpoint(note, { log: keys }).head),
  note
})

/** Returns the newest checkpoint of a source. @throws MalformedNote unless a key has signed it; SourceUnavailable */
export const readHead = async (files: PublicFiles, keys: readonly NoteKey[]): Promise<SourceHead> => {
  const note = await requiredFile(files, CHECKPOINT_FILE, MAX_NOTE_BYTES)
  return openHead(files, note, keys)
}

/**
 * Opens the tree of a checkpoint. Each hash that the tree returns is verified.
 * @param before an earlier checkpoint, with which the tree must begin
 * @throws ProofFailed TreeDamage SourceUnavailable
 */
export const openSourceTree = async (
  files: PublicFiles,
  head: TreeHead,
  before?: TreeHead
): Promise<MerkleTree> => {
  checkOrder(files, head, before)
  const tree = await MerkleTree.open(tilesIn(files), head.size)
  if (!(await tree.rootAt(head.size)).equals(head.root))
    throw new ProofFailed(
      `the tiles of ${files.place} are not those of its checkpoint of ${head.size} commits`
    )
  if (before && !(await tree.rootAt(before.size)).equals(before.root))
    throw new ProofFailed(
      `the log of ${files.place} was forked: its checkpoint of ${head.size} commits does not begin with the checkpoint of ${before.size} commits that was seen before`
    )
  return tree
}

/** @throws ProofFailed if a checkpoint is not of the same log, or older than an earlier one */
const checkOrder = ({ place }: PublicFiles, head: TreeHead, before?: TreeHead): void => {
  if (!before) return
  if (head.origin !== before.origin)
    throw new ProofFailed(
      `${place} has the log ${head.origin}, not ${before.origin}: a log that was restored or repaired has a new incarnation, which needs an empty folder`
    )
  if (head.size < before.size)
    throw new ProofFailed(
      `${place} went back to a checkpoint of ${head.size} commits, and ${before.size} were seen before`
    )
}
