// The segment that is being written, and the preallocated files that segments are made of.
import { writeAll, type DiskFile, type Disk, unlinkAll } from '../disk-port.js'
import type { RecordGroup } from '../record-group.js'
import type { HistoryEntries } from '../history.js'
import { checksumOf } from '../../turns.js'
import { GROUP_HEADER_RESERVE } from '../record-format.js'
import { GROUPS_AT, roundUp, writeGroupHeader, RESERVE } from './format.js'
import type { Segment, GroupIndex } from './segment.js'
import { hasCode } from '../../errors.js'
import { lockAsWriter } from './folder-lock.js'
import { indexName, packName, secretsName } from './pack-format.js'
import { segmentsIn } from './segment-files.js'

// The segment that is being written, and the room that is allocated in it.

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
    const size = this.#size
    return size < this.#options.segmentBytes && size - this.#offset < stepFor(size) / 2
  }

  /** Whether the next segment will be needed soon. */
  get isNearlyFilled(): boolean {
    return this.#offset > (this.#options.segmentBytes / 4) * 3
  }

  /** Writes a group into the room that it has. Durable when it resolves. @param acknowledged index of the newest commit that is flushed */
  async put(group: RecordGroup, acknowledged: number): Promise<void> {
    const { first, count, size: length } = group
    const bytes = group.bytes(roundUp(length, this.segment.sectorBytes))
    const checksum = checksumOf(bytes.subarray(GROUP_HEADER_RESERVE, length))
    // The write of a small group begins in this turn.
    const contents = typeof checksum === 'number' ? checksum : await checksum
    writeGroupHeader(bytes, { first, count, length, acknowledged, contents }, this.segment)
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

// Files of zeros, allocated and locked, that segments are made of: so that no write waits for one, and a full disk has one left.

/**
 * Settles like `work`, or rejects after `ms`. The work continues and its result is ignored. A process that was suspended
 * sees the answer of its disk in the second half of the time. @throws Error
 */
export const withTimeout = <T>(ms: number, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error(`the disk has not answered within ${ms} ms`))
    let timer = setTimeout(() => (timer = setTimeout(fail, ms / 2)), ms / 2)
    work.finally(() => clearTimeout(timer)).then(resolve, reject)
  })

/** Bytes of such a file: what a segment has at first. */
export const PREALLOCATED_BYTES = 256 * 1024
/** Files that will become segments, until they have their header. */
const PREALLOCATED_FILE = /^next-\d+$/

interface PreallocatedFile {
  readonly name: string
  readonly file: DiskFile
  /** Bytes allocated. */
  readonly size: number
}

/** No room: on the disk, in the owner's quota, or in what a file may have. */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EFBIG'].some(code => hasCode(error, code))

export class PreallocatedSegments {
  /** Its size is 0 until it is filled. */
  #reserve: PreallocatedFile | undefined
  #next: PreallocatedFile | undefined
  #preparing: Promise<void> | undefined
  #filling: Promise<void> | undefined
  #made = 0

  /** @param reserve the file of the reserve, locked. @param patience how long the disk may take for a file, in ms */
  constructor(
    private readonly disk: Disk,
    reserve: DiskFile,
    private readonly patience: number
  ) {
    this.#reserve = { name: RESERVE, file: reserve, size: 0 }
  }

  /** Bytes of the reserve; 0 when it was used. */
  get reserved(): number {
    return this.#reserve?.size ?? 0
  }

  /** Makes the reserve where there is none. @throws what the file system reports */
  async keepReserve(): Promise<void> {
    if (this.reserved > 0) return
    const file = this.#reserve?.file ?? (await this.#open(RESERVE))
    this.#reserve = { name: RESERVE, file, size: 0 }
    this.#filling ??= fill(file).finally(() => (this.#filling = undefined))
    await withTimeout(this.patience, this.#filling)
    this.#reserve = { name: RESERVE, file, size: PREALLOCATED_BYTES }
  }

  /** Prepares the next file in the background. A failure is met again by `take`. */
  prepare(): void {
    if (this.#next) return
    this.#preparing ??= this.#make()
      .then(
        prepared => void (this.#next = prepared),
        () => {}
      )
      .finally(() => (this.#preparing = undefined))
  }

  /** A prepared file, or if there is no room for one and it may be used, the reserve. @throws what the file system reports */
  async take({ fromReserve }: { readonly fromReserve: boolean }): Promise<PreallocatedFile> {
    await this.#preparing
    const next = this.#next
    this.#next = undefined
    if (next) return next
    try {
      return await this.#make()
    } catch (error) {
      const reserve = this.#reserve
      if (!fromReserve || !reserve || reserve.size === 0 || !isDiskFull(error)) throw error
      this.#reserve = undefined
      return reserve
    }
  }

  /** Removes an unrenamed file that became no segment. While open it stays locked, which blocks a new reserve of this name. */
  async discard({ name, file }: PreallocatedFile): Promise<void> {
    // Only then is it closed: another file of this name would be removed otherwise.
    if (await file.isNamed(name).catch(() => false)) await this.disk.unlink(name).catch(() => {})
    await file.close().catch(() => {})
  }

  async close(): Promise<void> {
    await this.#preparing
    // It continues after the timeout, when its descriptor may belong to another file.
    await this.#filling?.catch(() => {})
    await this.#reserve?.file.close()
    if (!this.#next) return
    await this.#next.file.close()
    await this.disk.unlink(this.#next.name).catch(() => {})
  }

  async #make(): Promise<PreallocatedFile> {
    const name = `next-${++this.#made}`
    const file = await this.#open(name)
    try {
      await fill(file)
      return { name, file, size: PREALLOCATED_BYTES }
    } catch (error) {
      await file.close()
      await this.disk.unlink(name).catch(() => {})
      throw error
    }
  }

  async #open(name: string): Promise<DiskFile> {
    const file = await this.disk.open(name, 'durable')
    try {
      await lockAsWriter(this.disk, name, file)
      return file
    } catch (error) {
      await file.close()
      throw error
    }
  }
}

/** Makes a file zeros. The room that it has stays its own. */
async function fill(file: DiskFile): Promise<void> {
  if ((await file.size()) > PREALLOCATED_BYTES) await file.truncate(PREALLOCATED_BYTES)
  await file.allocate(0, PREALLOCATED_BYTES)
}

// What crashes leave in a folder: files that were being made, or whose segment has gone. Nothing in them counts.

const BEGUN = /\.new$/
const DERIVED = /\.(?:idx|secrets)$/

/** Removes them. For the writer, before it makes files of its own. */
export async function removeOrphanFiles(disk: Disk): Promise<void> {
  const names = await disk.list()
  const belonging = new Set(
    segmentsIn(names).flatMap(name => [
      indexName(name),
      ...(names.includes(packName(name)) ? [secretsName(name)] : [])
    ])
  )
  const isLeft = (name: string): boolean =>
    PREALLOCATED_FILE.test(name) || BEGUN.test(name) || (DERIVED.test(name) && !belonging.has(name))
  await unlinkAll(disk, names.filter(isLeft))
}
