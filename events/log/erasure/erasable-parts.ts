import type { CommitErasure } from '../../erasure.js'
import type { Disk, DiskFile, ReadableFile } from '../disk-port.js'
import {
  isSealed,
  ORIGIN_PART,
  type PartPosition,
  PAYLOAD_PART,
  RESPONSE_PART,
  SECRETS_PART,
  GROUP_HEADER_RESERVE
} from '../record-format.js'
import type { StoredRecord } from '../record.js'
import type { DamageLocation } from '../log.js'
import type { GroupPosition, SegmentHeader } from '../segments/format.js'
import { GroupScanner } from '../segments/group-scanner.js'
import { pagesOf } from '../../turns.js'
import type { Rewrite } from './journal.js'

/** Returns 1 at each of these positions of events, since a set of them costs more than 100 ns for each. */
const marksAt = (positions: readonly number[] = []): Uint8Array => {
  const marks = new Uint8Array(positions.reduce((most, position) => Math.max(most, position + 1), 0))
  for (const position of positions) marks[position] = 1
  return marks
}

/** Returns a function that finds the parts of a commit which an erasure covers. */
const coverageOf = ({ who, answer, ...erasing }: CommitErasure) => {
  const [events, secrets] = [marksAt(erasing.events), marksAt(erasing.secrets)]
  return ({ kind, event }: PartPosition): boolean => {
    switch (kind) {
      case ORIGIN_PART:
        return who === true
      case RESPONSE_PART:
        return answer === true
      case PAYLOAD_PART:
        return events[event] === 1
      case SECRETS_PART:
        return events[event] === 1 || secrets[event] === 1
      default:
        return false
    }
  }
}

/** Returns the parts of a record that an erasure covers and that are not erased yet. */
export async function partsToErase(
  record: StoredRecord,
  erasing: CommitErasure
): Promise<readonly PartPosition[]> {
  const isCovered = coverageOf(erasing)
  const parts: PartPosition[] = []
  for await (const page of pagesOf(record.layout()))
    for (const part of page) if (!part.isErased && isCovered(part)) parts.push(part)
  return parts
}

/** The bytes of a part in its segment. */
export interface PartRange {
  readonly from: number
  readonly to: number
  /** True if a packed segment stores it uncompressed in the secrets file. */
  readonly isSecret: boolean
  /** True for the caller and the reason. */
  readonly isOrigin: boolean
}

interface FoundParts {
  /** Parts that are not erased yet, ascending. */
  readonly spans: readonly PartRange[]
  /** Why the last wanted commits cannot be found. */
  readonly damage: Omit<DamageLocation, 'file'> | undefined
}

/** Finds the wanted parts of a segment. @param wanted by index. @param from first position to read; default: the first group */
export async function findPartRanges(
  file: ReadableFile,
  segment: SegmentHeader,
  wanted: ReadonlyMap<number, CommitErasure>,
  from?: GroupPosition
): Promise<FoundParts> {
  const spans: PartRange[] = []
  const last = Math.max(0, ...wanted.keys())
  // An interrupted erasure may have damaged a part. It is erased nevertheless.
  const walk = new GroupScanner(file, segment, { from, withParts: false })
  while (walk.next <= last) {
    const groups = await walk.groups()
    if (groups.length === 0) {
      const { offset, fault: index, stop } = walk
      return { spans, damage: { offset, index, reason: stop?.reason ?? 'it ends' } }
    }
    for (const { offset, records } of groups) {
      let at = offset + GROUP_HEADER_RESERVE
      for (const record of records) {
        const erasing = wanted.get(record.index)
        if (erasing)
          for (const { kind, start, end } of await partsToErase(record, erasing))
            spans.push({
              from: at + start,
              to: at + end,
              isSecret: isSealed(kind),
              isOrigin: kind === ORIGIN_PART
            })
        at += record.bytes.length
      }
    }
  }
  return { spans, damage: undefined }
}

/** Returns a read view of a folder after some rewrites. */
export const postErasureView = (disk: Disk, rewrites: readonly Rewrite[]): Disk => {
  if (rewrites.length === 0) return disk
  const open: Disk['open'] = async (name, access) => {
    const file = await disk.open(name, access)
    const own = rewrites.filter(each => each.name === name)
    return own.length === 0 ? file : withRewrites(file, own)
  }
  return {
    path: disk.path,
    open,
    make: () => disk.make(),
    list: () => disk.list(),
    rename: (from, to) => disk.rename(from, to),
    unlink: name => disk.unlink(name),
    flushNames: () => disk.flushNames(),
    folder: name => disk.folder(name),
    free: () => disk.free(),
    network: () => disk.network(),
    watch: (name, changed) => disk.watch(name, changed)
  }
}

const withRewrites = (file: DiskFile, rewrites: readonly Rewrite[]): DiskFile => ({
  size: () => file.size(),
  read: async (target, position) => {
    const got = await file.read(target, position)
    for (const { offset, bytes } of rewrites) {
      const from = Math.max(offset, position)
      const to = Math.min(offset + bytes.length, position + got)
      if (from < to) target.set(bytes.subarray(from - offset, to - offset), from - position)
    }
    return got
  },
  write: (source, position) => file.write(source, position),
  allocate: (position, length) => file.allocate(position, length),
  flush: () => file.flush(),
  truncate: size => file.truncate(size),
  lock: (place, mode) => file.lock(place, mode),
  unlock: place => file.unlock(place),
  isNamed: name => file.isNamed(name),
  close: () => file.close()
})
