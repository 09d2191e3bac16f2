// Begins the log of a replica with the base snapshot of a source that has pruned its oldest commits.
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { flushPath } from '../../events/files.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import type { TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
import { NodeDisk } from '../../events/log/node-disk.js'
import type { LogIdentity } from '../../events/log/segments/format.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { BASE_SNAPSHOT_FOLDER } from '../../events/log/snapshots/base-names.js'
import { receiveBase } from '../../events/log/snapshots/base-snapshots.js'
import { TREE, writeBegunTree } from '../../events/log/tree/open-stored-tree.js'
import { snapshotStoresIn } from '../../projections/snapshot-stores.js'
import { openSourceTree } from '../publication/verified-tree.js'
import { incomingLogFolder, logFolder, type Settings } from '../settings/settings.js'
import type { ReplicaSource } from './replica-source.js'

interface Beginning {
  readonly source: ReplicaSource
  readonly head: TreeHead
  readonly identity: LogIdentity
}

/**
 * Creates the log of a new replica if its source has pruned commits. It appears whole; an interrupted call can be repeated.
 * @throws ProofFailed TreeDamage DamagedSnapshot SourceUnavailable LogUnusable if the base snapshot is not of the log of the checkpoint
 */
export const beginReplicaLog = async (
  { data_dir: dataDir, log }: Pick<Settings, 'data_dir' | 'log'>,
  { source, head, identity }: Beginning
): Promise<void> => {
  const [folder, incoming] = [logFolder(dataDir), incomingLogFolder(dataDir)]
  const base = existsSync(folder) ? undefined : await source.base(head)
  if (!base) return
  const { index } = base
  if (index > head.size)
    throw new ProofFailed(
      `the base snapshot of ${source.files.place} is of commit ${index}, and its checkpoint has ${head.size}`
    )
  await rm(incoming, { recursive: true, force: true })
  const disk = new NodeDisk(incoming)
  await disk.make()
  const tree = await openSourceTree(source.files, head)
  await writeBegunTree(disk.folder(TREE), tree, { identity, size: index })
  await receiveBase(disk.folder(BASE_SNAPSHOT_FOLDER), base)
  const begun = await SegmentEventLog.open({
    path: incoming,
    begunAs: identity,
    begunAfter: { index, hash: await tree.leafHash(index - 1) },
    sectorBytes: log.sector_bytes,
    allowNetworkFileSystem: log.allow_network_filesystem
  })
  try {
    // Its header names the hash of the commit, which is that of the tree.
    const reader = await snapshotStoresIn(begun).bases.open(index)
    await reader.close()
  } finally {
    await begun.close()
  }
  await rename(incoming, folder)
  await flushPath(dirname(folder))
}
