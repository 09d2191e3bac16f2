// Continues a truncated or copied log under a new incarnation, so that no two logs of one name disagree about a commit
// (log-files.md §6).
import { randomInt } from 'node:crypto'
import { type Erasure, historyErased } from '../../erasure.js'
import { logRetained } from '../../retention.js'
import { type Disk, replaceFile, unlinkAll } from '../disk-port.js'
import { NodeDisk } from '../node-disk.js'
import { RecordGroup } from '../record-group.js'
import { SecretsVault } from '../secrets.js'
import { removeBaseSnapshotsAbove } from '../snapshots/base-snapshots.js'
import type { Head } from '../store.js'
import { DURABLE_INDEX_FILE } from './durable-index-file.js'
import { encodeSegmentHeader, GROUPS_AT, roundUp, segmentName, writeGroupHeader } from './format.js'
import { writeHead } from './head-file.js'
import { writeMeta } from './meta-file.js'
import { indexName } from './pack-format.js'
import { PREALLOCATED_BYTES } from './preallocation.js'
import { type TruncatedLogView, truncatedLogViewOf } from './truncated-log-view.js'

/** The number grows by something random: two copies of one log get different ones. */
const LARGEST_STEP = 2 ** 22
const SECTOR = 512

interface IncarnationStart {
  /** What was done, as the `Command` of the first commit: `RepairLog` or `RestoreLog`. */
  readonly command: string
  /** RFC 3339. */
  readonly time: string
  /** The newest commit that the log before is known to have had; its hash if that is known. */
  readonly old: { readonly index: number; readonly hash: Uint8Array | undefined }
  /** Orders to erase among the commits that are cut off, which its first commit gives again. */
  readonly erasures: readonly Erasure[]
}

/**
 * Begins a new incarnation after the remaining commits of a log. Its first commit names the end of the previous incarnation.
 * Renaming one file creates it atomically and voids later commits of older segments. The caller holds the writer's lock.
 * @returns the first commit
 */
export async function beginIncarnation(
  disk: Disk,
  { identity, end, segments, generation, base }: TruncatedLogView,
  { command, time, old, erasures }: IncarnationStart
): Promise<Head> {
  const incarnation = identity.incarnation + randomInt(1, LARGEST_STEP)
  const newest = segments.at(-1)
  const header = {
    id: identity.id,
    incarnation,
    generation: generation + 1,
    first: end.index + 1,
    before: Buffer.from(end.hash),
    sectorBytes: newest?.sectorBytes ?? SECTOR
  }
  const Continues = {
    Log: identity.id,
    Incarnation: identity.incarnation,
    Index: old.index,
    Hash: old.hash === undefined ? '' : Buffer.from(old.hash).toString('hex')
  }
  const By = { AccessorID: '', Address: '', RequestID: '', Command: command, Continues }
  // Their commits may be among the truncated ones.
  const Events = [
    ...(base ? [logRetained(base)] : []),
    ...erasures.map((erasure, number) => historyErased(`${header.first}.${number + 1}`, erasure))
  ]
  const group = new RecordGroup()
  group.add([{ Index: header.first, Time: time, By, Events }], end.hash, new SecretsVault(), false)
  const bytes = group.bytes(roundUp(group.size, header.sectorBytes))
  writeGroupHeader(
    bytes,
    { first: header.first, count: 1, length: group.size, acknowledged: end.index },
    header
  )
  const file = Buffer.alloc(Math.max(PREALLOCATED_BYTES, GROUPS_AT + bytes.length))
  encodeSegmentHeader(header).copy(file)
  bytes.copy(file, GROUPS_AT)
  // It tells of commits that are void from now on.
  if (newest) await unlinkAll(disk, [indexName(newest.name)])
  await replaceFile(disk, segmentName(header), file)
  const first = { index: header.first, hash: group.hash }
  await unlinkAll(disk, [DURABLE_INDEX_FILE])
  await writeHead(disk, first, identity.id, true)
  await writeMeta(disk, { id: identity.id, incarnation })
  return first
}

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
