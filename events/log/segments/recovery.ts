// Reads the state of a folder without changing it, for a starting writer or for a reader without a writer.
import { damageError } from './format.js'
import type { Disk } from '../disk-port.js'
import type { HistoryEntries } from '../history.js'
import { LogUnusable } from '../log.js'
import type { Head } from '../store.js'
import { NO_HASH } from '../../codec.js'
import type { Report } from '../report.js'
import type { HeadMark } from './head-file.js'
import type { DurableIndexMark } from './durable-index-file.js'
import { withSegment } from './segment-files.js'
import type { Segment } from './segment.js'
import type { GroupIndex } from './group-index.js'
import { scanSegment } from './index-files.js'
import { readUnreadTail, GroupScanner, TORN_BYTES, type ScanEnd } from './group-scanner.js'

/** Evidence of acknowledged commits outside the segments. */
export interface Proofs {
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

export interface Recovered {
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
    const { sparse, entries, hash } = await scanSegment(disk, newest, scanner, record =>
      record.index === proofs.head?.index && !proofs.head.hash.equals(record.hash)
        ? 'it is not the commit that the head file names'
        : undefined
    )
    const { offset, next, fault } = scanner
    const head = { index: next - 1, hash }
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
