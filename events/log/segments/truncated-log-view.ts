// A log up to one of its commits, whatever its files hold above that: what is left when its end is cut off.
import { NO_HASH } from '../../codec.js'
import type { Disk } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import type { StoredRecord } from '../record.js'
import type { Head } from '../store.js'
import type { Retention } from '../../retention.js'
import { BASE_SNAPSHOT_FOLDER, baseSnapshotIndexes, intactCopies } from '../snapshots/base-snapshots.js'
import { verifyChain, type ChainedLog } from '../verify.js'
import { checkEnds } from './folder.js'
import { parseSegmentName, type LogIdentity, type SegmentName } from './format.js'
import { IndexFiles } from './index-files.js'
import { newIdentity, readMeta } from './meta-file.js'
import { SegmentReader } from './segment-reader.js'
import { readSegments, type Segment } from './segment.js'
import { segmentsIn } from './segment-files.js'

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
  const { headIndex, headHash, broken } = await verifyChain(chainOf(reader, index))
  if (broken)
    throw new LogUnusable(
      `the log can be kept up to commit ${headIndex} at most: commit ${broken.index} does not hold (${broken.reason})`
    )
  return { index, hash: Buffer.from(headHash, 'hex') }
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
