// Reads the segments of a folder in another thread of the process that writes them: only as far as the writer says.
import type { Disk } from '../disk.js'
import type { StoredRecord } from '../record.js'
import { Indexes } from './indexes.js'
import { SegmentReader } from './reader.js'
import { readSteadily } from './segment-files.js'
import { readSegments, type Segment } from './segment.js'
import { SparseIndex } from './sparse.js'

/** How far a reader may read. */
export interface Extent {
  /** Index of a durable commit. */
  readonly to: number
  /** Name of the segment that was being written when that was the newest one, or of a later one. */
  readonly newest: string
}

/**
 * Segments change in two ways that only the writer knows of: a later generation voids the end of an earlier one, and the newest one is
 * sealed. Both make a new newest segment, so the folder is looked at again when the writer names one that is not known.
 */
export class BesideReader {
  readonly #disk: Disk
  readonly #reader: SegmentReader
  #segments: readonly Segment[] = []

  constructor(disk: Disk) {
    this.#disk = disk
    this.#reader = new SegmentReader(disk, new Indexes(disk, true))
  }

  /**
   * Some of the commits from an index on, at least one; all of one segment.
   * @throws LogDamage CommitsGone
   */
  async page(from: number, { to, newest }: Extent): Promise<readonly StoredRecord[]> {
    if (!this.#segments.some(({ name }) => name === newest)) await this.#list()
    for (;;)
      try {
        return await this.#reader.page(from, to)
      } catch (error) {
        // A segment may have been packed or let go beneath it.
        const before = this.#segments
        await this.#list()
        if (sameNames(before, this.#segments)) throw error
      }
  }

  async #list(): Promise<void> {
    const known = this.#segments
    this.#segments = await readSteadily(this.#disk, names =>
      readSegments(this.#disk, names, undefined, known)
    )
    const newest = this.#segments.at(-1)
    this.#reader.sealed = this.#segments.slice(0, -1)
    if (this.#reader.growing?.segment.name !== newest?.name)
      this.#reader.growing = newest && { segment: newest, sparse: new SparseIndex() }
  }
}

const sameNames = (some: readonly Segment[], others: readonly Segment[]): boolean =>
  some.map(({ name }) => name).join() === others.map(({ name }) => name).join()
