import { identityOf } from '../../../events/log/evidence/signed-checkpoint.js'
import { MalformedNote } from '../../../events/log/evidence/note-keys.js'
import type { Disk } from '../../../events/log/disk-port.js'
import { NodeDisk } from '../../../events/log/node-disk.js'
import { CheckpointFiles, type CheckpointName } from '../../../events/log/tree/checkpoint-files.js'
import { BUNDLES } from '../../../events/log/tree/entry-bundles.js'
import { LevelFiles } from '../../../events/log/tree/level-files.js'
import { TREE } from '../../../events/log/tree/open-stored-tree.js'
import { checkpointIn, type TrustedCheckpoint } from './trusted-inputs.js'

/** A checkpoint beside a log; its signature is not looked at. */
export interface StoredCheckpoint extends TrustedCheckpoint {
  readonly note: Buffer
}

export interface TreeFiles {
  readonly files: LevelFiles
  /** The folder of the stored entry bundles. */
  readonly bundles: Disk
  /** Oldest first; those of earlier incarnations come before all others. */
  readonly checkpoints: readonly StoredCheckpoint[]
}

/** @throws MalformedNote if the text is not the checkpoint that the file name states */
function readBeside(name: CheckpointName, path: string, note: Buffer): StoredCheckpoint {
  try {
    const checkpoint = { ...checkpointIn(path, note, {}), note }
    const { size, origin } = checkpoint.head
    if (size !== name.size || identityOf(origin)?.incarnation !== name.incarnation)
      throw new MalformedNote(`${path}: it holds a checkpoint of ${origin} with ${size} commits`)
    return checkpoint
  } catch (error) {
    if (!(error instanceof MalformedNote)) throw error
    throw new MalformedNote(`the checkpoint of ${name.size} commits is damaged in ${error.message}`, {
      cause: error
    })
  }
}

/**
 * Passes the tree files of a folder to `use`. They are read before the log is opened, so the log has all the commits that they cover.
 * @throws MalformedNote for an invalid checkpoint
 */
export async function withTreeFiles<T>(path: string, use: (beside: TreeFiles) => Promise<T>): Promise<T> {
  const folder = new NodeDisk(path)
  const disk = folder.folder(TREE)
  const kept = await CheckpointFiles.open(disk)
  const checkpoints: StoredCheckpoint[] = []
  for (const name of kept.names) {
    const text = await kept.read(name)
    // A newer checkpoint has replaced it meanwhile.
    if (text === undefined) continue
    checkpoints.push(readBeside(name, kept.pathOf(name), Buffer.from(text)))
  }
  const files = new LevelFiles(disk, 'read')
  try {
    return await use({ files, bundles: folder.folder(BUNDLES), checkpoints })
  } finally {
    await files.close()
  }
}
