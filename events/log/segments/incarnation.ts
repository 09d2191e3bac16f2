// A log up to one of its commits, whatever its files hold above that: what is left when its end is cut off.
import { NO_HASH } from '../../codec.js'
import { type Disk, replaceFile, unlinkAll } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import { GROUP_HEADER_RESERVE, type RecordVersion } from '../record-format.js'
import type { StoredRecord } from '../record.js'
import type { Head } from '../store.js'
import { type Retention, logRetained } from '../../retention.js'
import {
  BASE_SNAPSHOT_FOLDER,
  baseSnapshotIndexes,
  removeBaseSnapshotsAbove
} from '../snapshots/base-names.js'
import { intactCopies } from '../snapshots/base-snapshots.js'
import { verifyChain, type ChainedLog } from '../verify.js'
import { checkEnds } from './folder.js'
import {
  parseSegmentName,
  type LogIdentity,
  type SegmentName,
  encodeSegmentHeader,
  formatOf,
  GROUPS_AT,
  roundUp,
  segmentName,
  versionOf,
  writeGroupHeader
} from './format.js'
import { IndexFiles } from './index-files.js'
import { newIdentity, readMeta, writeMeta, writeHead } from './checked-files.js'
import { DURABLE_INDEX_FILE } from '../durable-index.js'
import { SegmentReader } from './segment-reader.js'
import { readSegments, type Segment } from './segment.js'
import { segmentsIn } from './segment-files.js'
import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Erasure, historyErased } from '../../erasure.js'
import { NodeDisk } from '../node-disk.js'
import { RecordGroup } from '../record-group.js'
import { SecretsVault } from '../secrets.js'
import { indexName } from './pack-format.js'
import { PREALLOCATED_BYTES } from './active-segment.js'

export interface TruncatedLogView {
  readonly identity: LogIdentity
  readonly end: Head
  /** The segments with commits up to that; the last one may hold more. */
  readonly segments: readonly Segment[]
  /** Names of segments that only hold what comes after it. They may be damaged. */
  readonly above: readonly string[]
  /** The base snapshot that covers pruned commits; undefined if none were pruned. */
  readonly base: Retention | undefined
  /** The newest of any segment. */
  readonly generation: number
}

/** Verifies all checksums, hashes and commitments up to a commit. @param index the last kept commit; 0 for none. @throws LogUnusable */
export async function truncatedLogViewOf(disk: Disk, index: number): Promise<TruncatedLogView> {
  const names = await disk.list()
  const meta = await readMeta(disk, names)
  const known = meta === 'damaged' ? undefined : meta
  const named = segmentsIn(names).flatMap(name => {
    const parsed = parseSegmentName(name)
    return parsed ? [{ name, ...parsed }] : []
  })
  const below = named.filter(({ first }) => first <= index).map(({ name }) => name)
  const segments = await readSegments(disk, below, known)
  const end = await proveUpTo(disk, segments, index)
  const base = await baseFor(disk, segments, index)
  return {
    identity: newestOf(known, segments),
    end,
    segments,
    base,
    above: named.filter(({ first }) => first > index).map(({ name }) => name),
    generation: newestGeneration(named)
  }
}

/** @throws LogUnusable if commits were pruned and the base snapshot that covers them is after the end */
async function baseFor(
  disk: Disk,
  segments: readonly Segment[],
  end: number
): Promise<Retention | undefined> {
  const { first } = segments[0] ?? { first: 1 }
  if (first === 1) return undefined
  const bases = disk.folder(BASE_SNAPSHOT_FOLDER)
  const indexes = (await baseSnapshotIndexes(bases)).filter(base => base >= first - 1).toReversed()
  for (const Index of indexes.filter(base => base <= end)) {
    const [sound] = await intactCopies(bases, Index)
    if (sound) return { Index, Base: sound.digest }
  }
  throw new LogUnusable(
    `the log begins with commit ${first}, and can only be kept up to a commit of which the base is that stands in for those before it, or a later one: ` +
      (indexes.length > 0 ? `bases are there of commits ${indexes.join(', ')}` : 'there is no base')
  )
}

const newestGeneration = (named: readonly SegmentName[]): number =>
  named.reduce((most, { generation }) => Math.max(most, generation), 0)

const newestOf = (known: LogIdentity | undefined, segments: readonly Segment[]): LogIdentity => {
  const { id } = known ?? segments.at(-1) ?? newIdentity()
  const incarnations = [known, ...segments].map(each => each?.incarnation ?? 1)
  return { id, incarnation: Math.max(...incarnations) }
}

async function proveUpTo(disk: Disk, segments: readonly Segment[], index: number): Promise<Head> {
  if (index === 0) return { index, hash: NO_HASH }
  if (segments.length === 0)
    throw new LogUnusable(`the log in ${disk.path} has no segment with commit ${index}`)
  const reader = new SegmentReader(disk, new IndexFiles(disk, true))
  reader.use(segments)
  await checkEnds(disk, segments, reader)
  let version: RecordVersion | undefined
  const { headIndex, headHash, broken } = await verifyChain(chainOf(reader, index), {
    onRecord: record => void (version = record.version)
  })
  if (broken)
    throw new LogUnusable(
      `the log can be kept up to commit ${headIndex} at most: commit ${broken.index} does not hold (${broken.reason})`
    )
  return { index, hash: Buffer.from(headHash, 'hex'), version }
}

const chainOf = (reader: SegmentReader, durableIndex: number): ChainedLog => ({
  durableIndex,
  firstIndex: reader.start.index + 1,
  hashAt: () => Promise.resolve(Buffer.from(reader.start.hash).toString('hex')),
  async *records(from): AsyncGenerator<readonly StoredRecord[]> {
    for (let next = from; next <= durableIndex;) {
      const page = await reader.page(next, durableIndex)
      yield page
      next += page.length
    }
  },
  brokenPart: record => record.brokenCommitment()
})

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
    format: formatOf(end.version),
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
  group.version = versionOf(header.format)
  group.add([{ Index: header.first, Time: time, By, Events }], end.hash, new SecretsVault(), false)
  const bytes = group.bytes(roundUp(group.size, header.sectorBytes))
  writeGroupHeader(
    bytes,
    {
      first: header.first,
      count: 1,
      length: group.size,
      acknowledged: end.index,
      contents: crc32(bytes.subarray(GROUP_HEADER_RESERVE, group.size))
    },
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
  await writeMeta(disk, header, header.format)
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
