// Reads the state of a folder without changing it, for a starting writer or for a reader without a writer.
import type { Disk } from '../disk-port.js'
import { startsOf } from '../record-group.js'
import { HistoryEntries } from '../history.js'
import { LogUnusable } from '../log.js'
import type { Head } from '../store.js'
import { NO_HASH } from '../../codec.js'
import type { Report } from '../report.js'
import type { HeadMark } from './head-file.js'
import type { DurableIndexMark } from './durable-index-file.js'
import { damageError } from './segment-access.js'
import { withSegment } from './segment-files.js'
import type { Segment } from './segment.js'
import { GroupIndex } from './group-index.js'
import { readUnreadTail, GroupScanner, TORN_BYTES, type ScanEnd } from './group-scanner.js'

/** What is known of commits that were acknowledged, besides what the segments say. */
export interface Proofs {
  readonly head: HeadMark | undefined
  readonly published: DurableIndexMark | undefined
}

/** Bytes behind the last group that counts: a group that was being written when the machine or the program failed. */
interface TruncatedTail {
  readonly file: string
  readonly offset: number
  readonly bytes: number
  /** Index of the first commit that the group would have had. */
  readonly index: number
}

/** The newest segment as far as it was written. */
interface Tail {
  readonly segment: Segment
  /** Byte behind its last group. */
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
  /** What the next generation makes void; undefined when there is nothing behind the last group. */
  readonly cut: TruncatedTail | undefined
}

/**
 * Finds where the log ends: behind its last whole group. What comes behind that is cut off only if it is a group that may have
 * been torn, and nothing proves that it was acknowledged: a later group, the published index, the head file.
 * On a device that is said to lose whole blocks of 4,096 bytes with a write that was cut (`log.sector_bytes`), such a group may hold anything.
 * @throws LogDamage when anything else is wrong
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
    const walk = new GroupScanner(file, newest)
    const sparse = new GroupIndex()
    const entries = new HistoryEntries()
    let hash: Uint8Array = newest.before
    for (let groups = await walk.groups(); groups.length > 0; groups = await walk.groups())
      for (const group of groups) {
        const { offset, records } = group
        sparse.addMarked({ ...group, starts: startsOf(records) })
        for (const record of records) {
          if (!record.before.equals(hash))
            throw damageError(
              disk,
              newest.name,
              offset,
              record.index,
              'it does not name the hash of the commit before it'
            )
          hash = record.hash
          if (record.index === proofs.head?.index && !proofs.head.hash.equals(hash))
            throw damageError(
              disk,
              newest.name,
              offset,
              record.index,
              'it is not the commit that the head file names'
            )
          for (const head of record.heads()) entries.add(head, record.index)
        }
      }
    const head = { index: walk.next - 1, hash }
    const { bytes, laterGroup } = await readUnreadTail(file, newest, walk.offset, walk.next)
    const { kind, reason }: ScanEnd = walk.stop ?? { kind: 'end', reason: 'the file ends' }
    if (laterGroup !== undefined)
      throw damageError(
        disk,
        newest.name,
        walk.offset,
        walk.fault,
        `${reason}; the group at byte ${laterGroup.offset} proves that it was acknowledged`
      )
    if (kind === 'bad' && newest.sectorBytes === TORN_BYTES)
      throw damageError(disk, newest.name, walk.offset, walk.fault, reason)
    checkEnd(disk, newest, walk.offset, head, proofs)
    const cut = bytes > 0 ? { file: newest.name, offset: walk.offset, bytes, index: walk.next } : undefined
    const tail = { segment: newest, offset: walk.offset, size: await file.size(), sparse, entries }
    return { head, tail, cut }
  })
}

/** The newest commit that the head file or the published index proves acknowledged; 0 when neither proves any. */
const provedIndex = ({ head, published }: Proofs): number =>
  Math.max(head?.index ?? 0, published?.durable ?? 0)

/** Warns about the last group if it is cut off. Both files lag behind the flush, so that only the commits up to theirs are proved. */
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

/** @throws LogDamage when a commit is known to have been acknowledged that is not there */
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
