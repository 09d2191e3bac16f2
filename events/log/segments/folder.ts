// A folder as it is found at a start: whose log it is, its segments, and what proves how far they must go.
//
// What each file leads to when it is not as it was left:
// - a segment that is missing, short, foreign or damaged: the start stops (LogDamage), but for a torn group at the end of the newest one.
// - meta.json: it is made again from the headers of the segments, with a warning; without segments the start stops.
// - keys: the start stops when it is damaged, and when it is missing although secrets were sealed, as soon as one is read.
// - the head file: a warning, and it is made again. An older one proves less.
// - durable: as the head file, without a warning: the machine may have failed before the file system wrote it.
// - an index file: it is made again from its segment.
// - the reserve and prepared files: they hold nothing, and are made again.
import type { Disk } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import type { Report } from '../report.js'
import { BASE_SNAPSHOT_FOLDER, baseSnapshotIndexes } from '../snapshots/base-names.js'
import { type HeadMark, readHead, readMeta } from './checked-files.js'
import { readDurableIndex, type DurableIndexMark } from '../durable-index.js'
import { type LogIdentity, damageError, versionOf } from './format.js'
import { IndexFiles, scanSegment } from './index-files.js'
import { SegmentReader } from './segment-reader.js'
import { readSegments, type Segment, type GroupIndex } from './segment.js'
import type { HistoryEntries } from '../history.js'
import type { Head } from '../store.js'
import { NO_HASH } from '../../codec.js'
import { withSegment } from './segment-files.js'
import { readUnreadTail, GroupScanner, TORN_BYTES, type ScanEnd } from './group-scanner.js'

interface Folder {
  /** Undefined when there is no log in it yet. */
  readonly identity: LogIdentity | undefined
  /** Whether meta.json has to be written. */
  readonly lacksMeta: boolean
  readonly segments: readonly Segment[]
  readonly proofs: Proofs
}

/** @throws LogUnusable LogDamage */
export async function readFolder(disk: Disk, report: Report): Promise<Folder> {
  const names = await disk.list()
  const meta = await readMeta(disk, names)
  const known = meta === 'damaged' ? undefined : meta
  const segments = await readSegments(disk, names, known)
  const newest = segments.at(-1)
  // An incarnation begins with the first segment that bears it; meta.json follows.
  const isBehind = known && newest && newest.incarnation > known.incarnation
  const identity = isBehind ? newest : (known ?? newest)
  if (identity && !known)
    report({ level: 'warn', text: 'meta.json is missing or damaged: it is made again from the segments' })
  if (!newest && meta !== undefined)
    throw new LogUnusable(`the log in ${disk.path} has no segments, but its meta.json is there`)
  const [oldest] = segments
  if (oldest && oldest.first !== 1 && !(await hasBase(disk, oldest.first - 1)))
    throw damageError(
      disk,
      oldest.name,
      0,
      1,
      `the log begins with commit ${oldest.first}, and neither the segments before it nor a base are there`
    )
  const published = await readDurableIndex(disk)
  return {
    identity,
    lacksMeta: !known || isBehind === true,
    segments,
    proofs: {
      head: headOf(await readHead(disk), identity, report),
      published: published?.id === identity?.id ? published : undefined
    }
  }
}

/** Whether a base stands in for the commits up to an index. What it holds is checked when the state is made. */
const hasBase = async (disk: Disk, index: number): Promise<boolean> =>
  (await baseSnapshotIndexes(disk.folder(BASE_SNAPSHOT_FOLDER))).some(base => base >= index)

function headOf(
  found: HeadMark | 'damaged' | undefined,
  identity: LogIdentity | undefined,
  report: Report
): HeadMark | undefined {
  if (found === 'damaged') report({ level: 'warn', text: 'the head file is damaged: it proves nothing' })
  else if (found && found.id !== identity?.id)
    report({ level: 'warn', text: 'the head file belongs to another log: it proves nothing' })
  else if (!found && identity) report({ level: 'warn', text: 'the head file is missing: it proves nothing' })
  else return found
  return undefined
}

/** Checks that each sealed segment goes to where the next one begins, and that the next one names the hash of its last commit. @throws LogDamage */
export async function checkEnds(
  disk: Disk,
  segments: readonly Segment[],
  reader: SegmentReader
): Promise<void> {
  for (const [i, segment] of segments.entries()) {
    const next = segments[i + 1]
    if (!next) return
    const [record] = await reader.page(segment.last, segment.last)
    if (!record?.hash.equals(next.before))
      throw damageError(
        disk,
        next.name,
        0,
        next.first,
        `it does not name the hash of commit ${segment.last}, the one before it`
      )
  }
}

export interface OpenedFolder extends Pick<Folder, 'identity' | 'lacksMeta'> {
  readonly indexes: IndexFiles
  readonly reader: SegmentReader
  readonly recovered: Recovered
  /** Whether it was left as an orderly end leaves it: the newest segment can be written on. */
  readonly isClean: boolean
}

/** @throws LogUnusable LogDamage */
export async function openFolder(disk: Disk, report: Report): Promise<OpenedFolder> {
  const { identity, lacksMeta, segments, proofs } = await readFolder(disk, report)
  const indexes = new IndexFiles(disk, false)
  const reader = new SegmentReader(disk, indexes)
  reader.sealed = segments.slice(0, -1)
  await checkEnds(disk, segments, reader)
  const recovered = await recoverTail(disk, segments, proofs)
  const { head, cut } = recovered
  reportCut(recovered, proofs, report)
  const isClean =
    !cut &&
    proofs.head?.clean === true &&
    proofs.head.index === head.index &&
    proofs.head.hash.equals(head.hash)
  return { identity, lacksMeta, indexes, reader, recovered, isClean }
}

// Reads the state of a folder without changing it, for a starting writer or for a reader without a writer.

/** Evidence of acknowledged commits outside the segments. */
interface Proofs {
  readonly head: HeadMark | undefined
  readonly published: DurableIndexMark | undefined
}

/** Bytes after the last intact group: a group that was being written during a crash. */
interface TruncatedTail {
  readonly file: string
  readonly offset: number
  readonly bytes: number
  /** Index of the first commit of the incomplete group. */
  readonly index: number
}

/** The intact part of the newest segment. */
interface Tail {
  readonly segment: Segment
  /** Byte after its last group. */
  readonly offset: number
  /** Bytes of the file. */
  readonly size: number
  readonly sparse: GroupIndex
  readonly entries: HistoryEntries
}

interface Recovered {
  readonly head: Head
  /** Undefined when the folder has no segments. */
  readonly tail: Tail | undefined
  /** Voided by the next generation; undefined if nothing follows the last group. */
  readonly cut: TruncatedTail | undefined
}

/**
 * Finds the end of the log, which is its last intact group. Truncates the bytes after it only if they can be a torn group
 * and nothing proves that the group was acknowledged: a later group, the durable-index file or the head file. On a device
 * that loses blocks of 4,096 bytes in an interrupted write (`log.sector_bytes`), a torn group may contain any bytes.
 * @throws LogDamage for any other fault
 */
export async function recoverTail(
  disk: Disk,
  segments: readonly Segment[],
  proofs: Proofs
): Promise<Recovered> {
  const newest = segments.at(-1)
  if (!newest) {
    checkEnd(disk, undefined, 0, { index: 0, hash: NO_HASH }, proofs)
    return { head: { index: 0, hash: NO_HASH }, tail: undefined, cut: undefined }
  }
  return withSegment(disk, newest.name, async file => {
    const { name } = newest
    const scanner = new GroupScanner(file, newest)
    const { sparse, entries, hash, version } = await scanSegment(disk, newest, scanner, record =>
      record.index === proofs.head?.index && !proofs.head.hash.equals(record.hash)
        ? 'it is not the commit that the head file names'
        : undefined
    )
    const { offset, next, fault } = scanner
    const head = { index: next - 1, hash, version: version ?? versionOf(newest.format) }
    const { bytes, laterGroup } = await readUnreadTail(file, newest, offset, next)
    const { kind, reason }: ScanEnd = scanner.stop ?? { kind: 'end', reason: 'the file ends' }
    if (laterGroup !== undefined) {
      const proof = `the group at byte ${laterGroup.offset} proves that it was acknowledged`
      throw damageError(disk, name, offset, fault, `${reason}; ${proof}`)
    }
    if (kind === 'bad' && newest.sectorBytes === TORN_BYTES)
      throw damageError(disk, name, offset, fault, reason)
    checkEnd(disk, newest, offset, head, proofs)
    const cut = bytes > 0 ? { file: name, offset, bytes, index: next } : undefined
    return { head, tail: { segment: newest, offset, size: await file.size(), sparse, entries }, cut }
  })
}

/** Returns the index of the newest commit that a proof shows as acknowledged; 0 for none. */
const provedIndex = ({ head, published }: Proofs): number =>
  Math.max(head?.index ?? 0, published?.durable ?? 0)

/** Warns about a truncated group. Both files lag behind the flush, so they prove only the commits up to their index. */
export function reportCut({ cut }: Recovered, proofs: Proofs, report: Report): void {
  if (!cut) return
  const proved = provedIndex(proofs)
  const extent = proved === 0 ? 'prove no commit' : `prove commits up to ${proved} only`
  report({
    level: 'warn',
    text:
      `the last group of the log is not whole: commits from ${cut.index} on are void. ` +
      `Whether they were acknowledged is unknown: the files head and durable ${extent}`,
    details: { ...cut }
  })
}

/** @throws LogDamage if an acknowledged commit is missing */
function checkEnd(
  disk: Disk,
  newest: Segment | undefined,
  offset: number,
  { index }: Head,
  proofs: Proofs
): void {
  const proved = provedIndex(proofs)
  if (proved <= index) return
  const witness = proved === proofs.head?.index ? 'the head file' : 'the published index'
  const reason = `the log ends with commit ${index}, but ${witness} tells that commit ${proved} was acknowledged`
  if (!newest) throw new LogUnusable(`the log in ${disk.path} has no segments: ${reason}`)
  throw damageError(disk, newest.name, offset, index + 1, reason)
}
