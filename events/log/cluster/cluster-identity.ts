import { randomBytes } from 'node:crypto'
import { readFile, replaceFile, type Disk } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import { NodeDisk } from '../node-disk.js'
import { KEYS_FILE } from '../segments/checked-files.js'
import type { SegmentEventLog } from '../segments/segment-event-log.js'
import { readFolder } from '../segments/folder.js'
import { SIGNING_KEY_FILE } from '../tree/signing-key.js'
import type { ClusterSeed } from './shared-log.js'

/** Returns the seed of a new cluster that continues a log. @throws LogUnusable if its secrets are not encrypted */
export async function clusterSeedOf(log: SegmentEventLog): Promise<ClusterSeed> {
  await log.signingKey()
  const disk = new NodeDisk(log.path)
  const [keys, signingKey] = [await readFile(disk, KEYS_FILE), await readFile(disk, SIGNING_KEY_FILE)]
  if (!keys || !signingKey)
    throw new LogUnusable(`the secrets in ${log.path} are not encrypted, and those of a cluster have to be`)
  const { id, incarnation } = log.identity
  return { cluster: randomBytes(16).toString('hex'), log: { id, incarnation }, keys, signingKey }
}

/** Writes the key files of a cluster's log unless the folder holds it. Repeatable. @throws LogUnusable if the folder holds another log */
export async function prepareLogFolder(path: string, { log, keys, signingKey }: ClusterSeed): Promise<void> {
  const disk: Disk = new NodeDisk(path)
  await disk.make()
  const { identity } = await readFolder(disk, () => {})
  if (identity === undefined) {
    await replaceFile(disk, KEYS_FILE, Buffer.from(keys))
    await replaceFile(disk, SIGNING_KEY_FILE, Buffer.from(signingKey))
  } else if (identity.id !== log.id)
    throw new LogUnusable(
      `${path} holds log ${identity.id}, and the cluster has log ${log.id}: move the data folder away to join with an empty one`
    )
}
