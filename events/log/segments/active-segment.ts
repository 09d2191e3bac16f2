// The segment that is being written, and the room that is allocated in it.
import { writeAll, type DiskFile } from '../disk-port.js'
import type { RecordGroup } from '../record-group.js'
import type { HistoryEntries } from '../history.js'
import { GROUPS_AT, roundUp, writeGroupHeader } from './format.js'
import { isDiskFull, withTimeout } from './preallocation.js'
import type { Segment } from './segment.js'
import type { GroupIndex } from './group-index.js'

/** The most that is allocated at a time, in bytes. */
const LAST_STEP = 4 * 1024 * 1024

export interface ActiveSegmentOptions {
  /** Size of a segment; a group that is larger gets one of its own length. */
  readonly segmentBytes: number
  /** How long the disk may take for a write, in ms, before it counts as failed. */
  readonly patience: number
}

interface ActiveSegmentStart {
  readonly segment: Segment
  readonly file: DiskFile
  /** Bytes allocated. */
  readonly size: number
  /** Byte behind its last group. */
  readonly offset: number
  readonly sparse: GroupIndex
  readonly entries: HistoryEntries
}

export class ActiveSegment {
  readonly segment: Segment
  readonly file: DiskFile
  readonly sparse: GroupIndex
  readonly entries: HistoryEntries
  readonly #options: ActiveSegmentOptions
  #size: number
  #offset: number
  #growing: Promise<void> | undefined

  constructor(
    { segment, file, size, offset, sparse, entries }: ActiveSegmentStart,
    { segmentBytes, patience }: ActiveSegmentOptions
  ) {
    this.segment = segment
    this.file = file
    this.sparse = sparse
    this.entries = entries
    this.#size = size
    this.#offset = offset
    this.#options = { segmentBytes, patience }
  }

  get offset(): number {
    return this.#offset
  }

  /** Bytes that are allocated and free. */
  get room(): number {
    return this.#size - this.#offset
  }

  /** Whether so many bytes more would make it larger than a segment should be. */
  isFilledBy(bytes: number): boolean {
    return this.#offset + bytes > this.#options.segmentBytes && this.#offset > GROUPS_AT
  }

  /** Whether more should be allocated before it is needed. */
  get isScarce(): boolean {
    return this.#size < this.#options.segmentBytes && this.room < stepFor(this.#size) / 2
  }

  /** Whether the next segment will be needed soon. */
  get isNearlyFilled(): boolean {
    return this.#offset > (this.#options.segmentBytes / 4) * 3
  }

  /** Writes a group into the room that it has. Durable when it resolves. @param acknowledged index of the newest commit that is flushed */
  async put(group: RecordGroup, acknowledged: number): Promise<void> {
    const bytes = group.bytes(roundUp(group.size, this.segment.sectorBytes))
    const { first, count, size: length } = group
    writeGroupHeader(bytes, { first, count, length, acknowledged }, this.segment)
    await withTimeout(this.#options.patience, writeAll(this.file, bytes, this.#offset))
    this.sparse.addMarked({ first, offset: this.#offset, starts: group.starts, length })
    this.entries.addAll(group.entries)
    this.#offset += bytes.length
  }

  /** Allocates a step, so that so many bytes are free at least, unless that is being done already: so that no zeros come where groups may be. */
  grow(room: number): Promise<void> {
    this.#growing ??= this.#allocate(this.#offset + room).finally(() => (this.#growing = undefined))
    return this.#growing
  }

  /** Resolves when nothing is being allocated. */
  async settled(): Promise<void> {
    await this.#growing?.catch(() => {})
  }

  /** Where there is no room for a whole step, what is needed will do. */
  async #allocate(least: number): Promise<void> {
    const { segmentBytes, patience } = this.#options
    const step = Math.min(this.#size + stepFor(this.#size), Math.max(segmentBytes, least))
    for (const end of [Math.max(step, least), roundUp(least, GROUPS_AT)])
      try {
        await withTimeout(patience, this.file.allocate(this.#size, end - this.#size))
        this.#size = end
        return
      } catch (error) {
        if (end === roundUp(least, GROUPS_AT) || !isDiskFull(error)) throw error
      }
  }
}

/** How much is allocated at a time: as much as there is. */
const stepFor = (size: number): number => Math.min(size, LAST_STEP)
