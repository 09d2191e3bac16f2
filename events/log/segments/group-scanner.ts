// Walks over the groups of a segment file, and says where and why it could go no further.
import { checksumOf } from '../../turns.js'
import { readAll, type ReadableFile } from '../disk-port.js'
import { GROUP_HEADER_RESERVE } from '../record-format.js'
import { StoredRecord } from '../record.js'
import {
  GROUPS_AT,
  readGroupHeader,
  roundUp,
  type GroupHeader,
  type GroupPosition,
  type StoredGroupHeader,
  type SegmentHeader
} from './format.js'

/** Bytes read at a time; larger for a group that is larger. */
const CHUNK = 256 * 1024
/** What a write that power loss cut leaves untouched, it leaves in such pieces. */
export const TORN_BYTES = 512
const ZEROS = Buffer.alloc(64 * 1024)

/** A group whose records all hold by their checksums. */
interface ScannedGroup extends GroupHeader {
  readonly offset: number
  /** Those asked for. */
  readonly records: readonly StoredRecord[]
}

/**
 * Why a walk ended where it did:
 * - `end`: the file ends there.
 * - `blank`: zeros, as where nothing was written.
 * - `torn`: a group that lacks pieces: it is cut short, or holds a sector of zeros.
 * - `bad`: anything else, which a write that was cut does not leave.
 */
export interface ScanEnd {
  readonly kind: 'end' | 'blank' | 'torn' | 'bad'
  readonly reason: string
}

export interface ScanOptions {
  /** Where to begin; default: at the first group. */
  readonly from?: GroupPosition | undefined
  /** Records with lower indexes are neither checked nor given. */
  readonly wanted?: number
  /** Nor are records with higher ones. */
  readonly upTo?: number
  readonly chunk?: number
  /** Whether the parts of the records are checked; else only what tells where they are. Default: true. */
  readonly withParts?: boolean
}

export class GroupScanner {
  readonly #wanted: number
  readonly #upTo: number
  readonly #chunk: number
  readonly #withParts: boolean
  #offset: number
  #next: number
  #stop: ScanEnd | undefined
  #fault: number | undefined

  constructor(
    private readonly file: ReadableFile,
    private readonly segment: SegmentHeader,
    { from, wanted = 0, upTo = Infinity, chunk = CHUNK, withParts = true }: ScanOptions = {}
  ) {
    this.#wanted = wanted
    this.#upTo = upTo
    this.#chunk = chunk
    this.#withParts = withParts
    this.#offset = from?.offset ?? GROUPS_AT
    this.#next = from?.first ?? segment.first
  }

  /** Byte behind the last group that was found. */
  get offset(): number {
    return this.#offset
  }

  /** Index behind that of its last commit. */
  get next(): number {
    return this.#next
  }

  /** Index of the commit at which the walk ended, which may lie within a group that is damaged. */
  get fault(): number {
    return this.#fault ?? this.#next
  }

  /** The reason for the end of the groups; undefined before the end. */
  get stop(): ScanEnd | undefined {
    return this.#stop
  }

  /** The next groups, some at a time; none at the end. */
  async groups(): Promise<readonly ScannedGroup[]> {
    const found: ScannedGroup[] = []
    if (this.#stop) return found
    let chunk = await this.#read(this.#chunk)
    let at = 0
    while (!this.#stop) {
      const sector = chunk.subarray(at, at + TORN_BYTES)
      if (sector.length === 0) {
        if (chunk.length < this.#chunk) this.#stop = { kind: 'end', reason: 'the file ends' }
        break
      }
      const header = readGroupHeader(chunk, this.segment, at)
      if (!header || header.first !== this.#next) {
        this.#stop = noGroup(sector, header, this.#next)
        break
      }
      if (at + header.length > chunk.length) {
        if (found.length > 0) break
        chunk = await this.#read(roundUp(header.length, this.segment.sectorBytes))
        at = 0
        if (header.length > chunk.length) {
          this.#stop = { kind: 'torn', reason: 'the file ends within a group' }
          break
        }
      }
      const bytes = chunk.subarray(at, at + header.length)
      const areWhole = this.#wantsAll(header) && (await areAsWritten(bytes, header))
      const group = this.#group(bytes, header, areWhole)
      if ('reason' in group) {
        const span = chunk.subarray(at, at + roundUp(header.length, TORN_BYTES))
        this.#stop = { kind: hasZeroSector(span) ? 'torn' : 'bad', reason: group.reason }
        this.#fault = group.index
        break
      }
      found.push(group)
      const length = roundUp(header.length, this.segment.sectorBytes)
      at += length
      this.#offset += length
      this.#next += header.count
    }
    return found
  }

  async #read(size: number): Promise<Buffer> {
    const chunk = Buffer.allocUnsafe(size)
    return chunk.subarray(0, await readAll(this.file, chunk, this.#offset))
  }

  #wantsAll({ first, count }: StoredGroupHeader): boolean {
    return first >= this.#wanted && first + count - 1 <= this.#upTo
  }

  /** The group, or what is wrong with which of its commits, as a clause. @param areWhole if the group's checksum holds */
  #group(
    bytes: Buffer,
    header: StoredGroupHeader,
    areWhole: boolean
  ): ScannedGroup | { readonly index: number; readonly reason: string } {
    const records: StoredRecord[] = []
    const { first, count } = header
    if (first + count > this.#wanted) {
      let at = GROUP_HEADER_RESERVE
      for (let index = first; index < first + count; index++) {
        if (index > this.#upTo) return { ...header, offset: this.#offset, records }
        if (index < this.#wanted) {
          // Where the next one begins proves itself: there is a record of its index, or none.
          at += StoredRecord.lengthAt(bytes, at) ?? bytes.length
          continue
        }
        const record = StoredRecord.at(bytes, at, areWhole)
        if (record?.index !== index)
          return { index, reason: `there is no record of it at byte ${this.#offset + at}` }
        at += record.bytes.length
        const fault = this.#withParts ? record.fault() : undefined
        if (fault !== undefined) return { index, reason: fault }
        records.push(record)
      }
      if (at !== header.length) return { index: first, reason: 'the group is longer than its records' }
    }
    return { ...header, offset: this.#offset, records }
  }
}

/** Verifies the one checksum of a group's records. If it fails, as after an erasure, each record's checksums decide. */
const areAsWritten = async (group: Buffer, { contents }: StoredGroupHeader): Promise<boolean> =>
  contents !== 0 && (await checksumOf(group.subarray(GROUP_HEADER_RESERVE))) === contents

const noGroup = (sector: Buffer, header: GroupHeader | undefined, next: number): ScanEnd => {
  if (isZero(sector)) return { kind: 'blank', reason: 'there are zeros where a group should begin' }
  if (sector.length < GROUP_HEADER_RESERVE) return { kind: 'torn', reason: 'the file ends within a group' }
  if (!header) return { kind: 'bad', reason: 'what is there is not the beginning of a group of this segment' }
  return {
    kind: 'bad',
    reason: `there is the group of commit ${header.first} where commit ${next} should be`
  }
}

const isZero = (bytes: Buffer): boolean => bytes.equals(ZEROS.subarray(0, bytes.length))

function hasZeroSector(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += TORN_BYTES)
    if (isZero(bytes.subarray(at, at + TORN_BYTES))) return true
  return false
}

/**
 * Reads one record without the rest of its group, which may be large.
 * @param place of a record of the same group that is not far before it
 * @returns undefined when it is not there, does not hold, or is long: a walk over the group gives it, or tells what is wrong
 */
export async function recordFrom(
  file: ReadableFile,
  place: GroupPosition,
  {
    index,
    chunk,
    withParts = true
  }: { readonly index: number; readonly chunk: number; readonly withParts?: boolean | undefined }
): Promise<StoredRecord | undefined> {
  const room = Buffer.allocUnsafe(chunk)
  const bytes = room.subarray(0, await readAll(file, room, place.offset))
  let at = 0
  for (let before = place.first; before < index; before++)
    at += StoredRecord.lengthAt(bytes, at) ?? bytes.length
  const record = StoredRecord.at(bytes, at)
  return record?.index === index && !(withParts && record.fault() !== undefined) ? record : undefined
}

/** What lies behind the last whole group of a segment. */
interface UnreadTail {
  /** Bytes up to the last that is not zero; 0 when all are. */
  readonly bytes: number
  /** A later group with a whole header: it proves that what should be before it was acknowledged. */
  readonly laterGroup?: GroupPosition
}

/** Looks at what lies behind a byte of a segment, up to the file's end. @param next index of the commit that should be there */
export async function readUnreadTail(
  file: ReadableFile,
  segment: SegmentHeader,
  offset: number,
  next: number
): Promise<UnreadTail> {
  const chunk = Buffer.allocUnsafe(CHUNK)
  let bytes = 0
  for (let start = offset; ; start += CHUNK) {
    const read = chunk.subarray(0, await readAll(file, chunk, start))
    if (read.length === 0) return { bytes }
    for (let at = 0; at < read.length; at += TORN_BYTES) {
      const sector = read.subarray(at, at + TORN_BYTES)
      if (isZero(sector)) continue
      bytes = start + at + sector.length - offset
      const header = readGroupHeader(read, segment, at)
      if (header && header.first > next)
        return { bytes, laterGroup: { first: header.first, offset: start + at } }
    }
  }
}
