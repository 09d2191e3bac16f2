// Forks a log: continues a copy under a new incarnation.
import { NodeDisk } from '../node-disk.js'
import type { Erasure } from '../../erasure.js'
import { removeBaseSnapshotsAbove } from '../snapshots/base-snapshots.js'
import type { Head } from '../store.js'
import { beginIncarnation } from './incarnation.js'
import { truncatedLogViewOf } from './truncated-log-view.js'

/**
 * Verifies a copy of a log up to a commit and continues it after that commit. The first new commit names the newest commit of
 * the original, so that later commits of the original or of other copies are not mistaken for its own.
 * @param head the newest commit of the copy
 * @param index the last commit that is kept
 * @param time RFC 3339, of the first commit
 * @param erasures orders to erase among the commits that are not kept
 * @returns the first commit
 * @throws LogUnusable when not all of it holds
 */
export const forkLog = async (
  folder: string,
  head: Head,
  index: number,
  time: string,
  erasures: readonly Erasure[] = []
): Promise<Head> => {
  const disk = new NodeDisk(folder)
  const kept = await truncatedLogViewOf(disk, index)
  const first = await beginIncarnation(disk, kept, { command: 'RestoreLog', time, old: head, erasures })
  for (const name of kept.above) await disk.unlink(name)
  await disk.flushNames()
  await removeBaseSnapshotsAbove(disk, index)
  return first
}
