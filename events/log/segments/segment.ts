// The segments of a folder, and the positions of the groups in one.
import { join } from 'node:path'
import { readBytes, type Disk } from '../disk-port.js'
import { LogUnusable, type PrunableSegment } from '../log.js'
import {
  bySequence,
  decodeSegmentHeader,
  GROUPS_AT,
  parseSegmentName,
  segmentName,
  type GroupPosition,
  type LogIdentity,
  type SegmentHeader,
  damageError
} from './format.js'
import { segmentsIn, withSegment, removeSegments, diskUsageOf } from './segment-files.js'
import { lowerBound } from '../../sorted-search.js'

export interface Segment extends SegmentHeader {
  readonly name: string
  /** Index of the last of its commits that counts; below `first` when none does. Of the newest segment: Infinity. */
  last: number
}

export const haveSameNames = (some: readonly Segment[], others: readonly Segment[]): boolean =>
  some.map(({ name }) => name).join() === others.map(({ name }) => name).join()

async function readHeader(disk: Disk, name: string): Promise<Segment> {
  const named = parseSegmentName(name)
  if (!named) throw new LogUnusable(`${join(disk.path, name)} is not named as the files of a log are`)
  const header = await withSegment(disk, name, async file =>
    decodeSegmentHeader(await readBytes(file, GROUPS_AT))
  )
  if (typeof header === 'string') throw damageError(disk, name, 0, named.first, header)
  if (segmentName(header) !== name)
    throw damageError(disk, name, 0, named.first, `its header says that it is ${segmentName(header)}`)
  return { ...header, name, last: Infinity }
}

/**
 * Reads the headers of all segments among the names of a folder. A later generation voids what earlier ones hold from its first index on.
 * @param known headers that were read before, and do not change
 * @returns them in the order of their commits, void ones left out; the last one is the newest
 * @throws LogDamage when a header is damaged, or is another log's
 */
export async function readSegments(
  disk: Disk,
  names: readonly string[],
  identity: LogIdentity | undefined,
  known: readonly Segment[] = []
): Promise<Segment[]> {
  const segments: Segment[] = []
  for (const name of segmentsIn(names))
    segments.push(known.find(each => each.name === name) ?? (await readHeader(disk, name)))
  segments.sort(bySequence)
  const id = identity?.id ?? segments.at(-1)?.id
  const foreign = segments.find(each => each.id !== id)
  if (foreign) throw damageError(disk, foreign.name, 0, foreign.first, 'it belongs to another log')
  let first = Infinity
  for (const segment of segments.toReversed()) {
    segment.last = first - 1
    first = Math.min(first, segment.first)
  }
  return segments.filter(({ first: begin, last }) => begin <= last)
}

// How segments go, one after another: whatever is left of it after a crash, the next start finds a log without a gap.

/** The sealed segments as pieces of a log. */
export const prunableSegmentsOf = (disk: Disk, sealed: readonly Segment[]): Promise<PrunableSegment[]> =>
  Promise.all(sealed.map(async ({ name, last }) => ({ last, ...(await diskUsageOf(disk, name)) })))

/** Removes the oldest segment that counts; durable when it resolves. */
export async function pruneSegment(disk: Disk, segment: Segment): Promise<void> {
  const before = segmentsIn(await disk.list()).filter(name => {
    const other = parseSegmentName(name)
    return other !== undefined && bySequence(other, segment) < 0
  })
  // What it made void would count again without it.
  await removeSegments(disk, before)
  await removeSegments(disk, [segment.name])
}

// Where the groups of a segment are, and the records of large ones: one place for every so many bytes, from which it is not far to any commit.

/** Bytes of a segment for each place. */
const STEP = 16 * 1024

/** A group, and where its records are. */
interface IndexedGroup extends GroupPosition {
  /** Byte of each of its records within it. */
  readonly starts: readonly number[]
  /** Bytes. */
  readonly length: number
}

/** The last place that does not lie behind the commit with this index. */
const lastBefore = (places: readonly GroupPosition[], index: number): GroupPosition | undefined =>
  places[lowerBound(places, ({ first }) => first <= index) - 1]

export class GroupIndex {
  /** Of groups. */
  readonly places: GroupPosition[] = []
  /** Of records within groups that are larger than a step. */
  readonly records: GroupPosition[] = []

  /** Takes a group that lies behind those before; keeps it if it is far enough from the last place, or behind a large group. */
  add({ first, offset }: GroupPosition): void {
    const last = this.places.at(-1)?.offset ?? -Infinity
    const isBehindRecords = offset > last && (this.records.at(-1)?.offset ?? -Infinity) > last
    if (isBehindRecords || offset - last >= STEP) this.places.push({ first, offset })
  }

  /** As `add`, and keeps records of a large group, its first one and some of those behind it. */
  addMarked(group: IndexedGroup): void {
    this.add(group)
    const { first, offset, starts, length } = group
    if (length <= STEP) return
    let last = -Infinity
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i] ?? 0
      if (start - last < STEP) continue
      last = start
      this.records.push({ first: first + i, offset: offset + start })
    }
  }

  /** The last place whose group does not begin behind the commit with this index; undefined when there is none. */
  before(index: number): GroupPosition | undefined {
    return lastBefore(this.places, index)
  }

  /** The last record that is known of the group of a commit, up to that commit; undefined when none is. */
  recordBefore(index: number): GroupPosition | undefined {
    const record = lastBefore(this.records, index)
    // A group behind those of which records are known has a place of its own.
    const group = lastBefore(this.places, index)
    return record && record.offset > (group?.offset ?? 0) ? record : undefined
  }
}
