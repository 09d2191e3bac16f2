import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Disk } from '../disk-port.js'
import {
  GROUP_HEADER_RESERVE,
  MIN_RECORD_BYTES,
  RECORD_VERSION,
  type RecordVersion
} from '../record-format.js'
import { LogDamage, LogUnusable } from '../log.js'
import { readNumber, writeNumber } from '../numbers.js'

/** Of new logs. Raised when an older version could not read what this one writes. 1 and 2 were kept in LMDB. */
export const LOG_FORMAT = 4
/** Records are of version 1. A log that began with it continues in it, so that an older version can still read it. */
const OLD_FORMAT = 3

/** Format of a segment that continues a log in a version of records, and version in which a segment of a format is continued. */
export const formatOf = (version: RecordVersion = RECORD_VERSION): number =>
  version === 1 ? OLD_FORMAT : LOG_FORMAT
export const versionOf = (format: number): RecordVersion => (format === OLD_FORMAT ? 1 : RECORD_VERSION)

/** A file of zeros that becomes a segment on a full disk, for deletions. */
export const RESERVE = 'reserve'

/** Groups begin behind so many bytes, so that the header shares no block of the disk with them. */
export const GROUPS_AT = 4096
const HEADER_BYTES = 128
const MAGIC = Buffer.from('ANNALSEG')
const ID_BYTES = 16

/** What identifies a log: a random ID, and how often its end was cut off or it was restored over another (log-files.md §6). */
export interface LogIdentity {
  /** 16 bytes, hex. */
  readonly id: string
  readonly incarnation: number
}

/** What the header of a segment tells. All of it is flushed before anything is written behind it. */
export interface SegmentHeader extends LogIdentity {
  readonly format: number
  readonly generation: number
  /** Index of its first commit. */
  readonly first: number
  /** Hash of the record before that. */
  readonly before: Buffer
  /** Groups begin on multiples of this. */
  readonly sectorBytes: number
}

/** First index and generation of a segment: which commits it holds, and which files it makes void. */
export type SegmentName = Pick<SegmentHeader, 'first' | 'generation'>

const DIGITS = 16
const PATTERN = /^(\d{16})-(\d+)\.seg$/

export const segmentName = ({ first, generation }: SegmentName): string =>
  `${String(first).padStart(DIGITS, '0')}-${generation}.seg`

/** Undefined when it is not the name of a segment. */
export function parseSegmentName(name: string): SegmentName | undefined {
  const [, first, generation] = PATTERN.exec(name) ?? []
  return first === undefined || generation === undefined
    ? undefined
    : { first: Number(first), generation: Number(generation) }
}

/** By what they make void: a segment of a later generation voids what earlier ones hold from its first index on. */
export const bySequence = (a: SegmentName, b: SegmentName): number =>
  a.generation - b.generation || a.first - b.first

const CRC_AT = 8
const FORMAT_AT = 12
const HEADER_ID_AT = 16
const INCARNATION_AT = 32
const GENERATION_AT = 36
const FIRST_AT = 40
const SECTOR_AT = 48
const BEFORE_AT = 52
const HEADER_END = BEFORE_AT + 32

/** What is written at the start of a segment: magic, CRC-32 of what follows, format, ID, incarnation, generation, first index, sector size, hash. */
export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  MAGIC.copy(bytes)
  bytes.writeUInt32BE(header.format, FORMAT_AT)
  bytes.write(header.id, HEADER_ID_AT, ID_BYTES, 'hex')
  bytes.writeUInt32BE(header.incarnation, INCARNATION_AT)
  bytes.writeUInt32BE(header.generation, GENERATION_AT)
  bytes.writeBigUInt64BE(BigInt(header.first), FIRST_AT)
  bytes.writeUInt32BE(header.sectorBytes, SECTOR_AT)
  header.before.copy(bytes, BEFORE_AT)
  bytes.writeUInt32BE(crc32(bytes.subarray(FORMAT_AT, HEADER_END)), CRC_AT)
  return bytes
}

/** The header at the start of a segment, or what is wrong with it, as a clause. @throws LogUnusable when it is of a newer format */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | string {
  if (bytes.length < HEADER_END) return 'it is too short to have a header'
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return 'it does not begin as a segment does'
  if (crc32(bytes.subarray(FORMAT_AT, HEADER_END)) !== bytes.readUInt32BE(CRC_AT))
    return 'the checksum of its header does not hold'
  const format = bytes.readUInt32BE(FORMAT_AT)
  if (format !== LOG_FORMAT && format !== OLD_FORMAT)
    throw new LogUnusable(
      `the log has a segment of format ${format}, written by a newer version; this version reads up to ${LOG_FORMAT}`
    )
  return {
    format,
    id: bytes.toString('hex', HEADER_ID_AT, HEADER_ID_AT + ID_BYTES),
    incarnation: bytes.readUInt32BE(INCARNATION_AT),
    generation: bytes.readUInt32BE(GENERATION_AT),
    first: Number(bytes.readBigUInt64BE(FIRST_AT)),
    sectorBytes: bytes.readUInt32BE(SECTOR_AT),
    before: Buffer.from(bytes.subarray(BEFORE_AT, HEADER_END))
  }
}

/** What stands in front of the records of a group. */
export interface GroupHeader {
  /** Bytes of this header and the records. */
  readonly length: number
  readonly first: number
  readonly count: number
  /** Index of the newest commit that was acknowledged before the group was written. */
  readonly acknowledged: number
}

/** The header as it is stored. */
export interface StoredGroupHeader extends GroupHeader {
  /** CRC-32 of the records as they were written; 0 if an earlier version wrote them. An erasure of parts does not change it. */
  readonly contents: number
}

const GROUP_MAGIC = 0x414e4752
const LENGTH_AT = 8
const COUNT_AT = 12
const GROUP_FIRST_AT = 16
const ACKNOWLEDGED_AT = 24
const GROUP_ID_AT = 32
const GROUP_GENERATION_AT = 48
const GROUP_INCARNATION_AT = 52
const CONTENTS_AT = 56

/**
 * Writes the header of a group in the `GROUP_ROOM` bytes before its records: magic, CRC-32 of the rest of the header, length, count, first
 * index, acknowledged index, ID, generation, incarnation, CRC-32 of the records.
 */
export function writeGroupHeader(
  bytes: Buffer,
  header: StoredGroupHeader,
  segment: SegmentHeader,
  at = 0
): void {
  bytes.fill(0, at, at + GROUP_HEADER_RESERVE)
  bytes.writeUInt32BE(GROUP_MAGIC, at)
  bytes.writeUInt32BE(header.length, at + LENGTH_AT)
  bytes.writeUInt32BE(header.count, at + COUNT_AT)
  writeNumber(bytes, header.first, at + GROUP_FIRST_AT)
  writeNumber(bytes, header.acknowledged, at + ACKNOWLEDGED_AT)
  bytes.write(segment.id, at + GROUP_ID_AT, ID_BYTES, 'hex')
  bytes.writeUInt32BE(segment.generation, at + GROUP_GENERATION_AT)
  bytes.writeUInt32BE(segment.incarnation, at + GROUP_INCARNATION_AT)
  bytes.writeUInt32BE(header.contents, at + CONTENTS_AT)
  bytes.writeUInt32BE(crc32(bytes.subarray(at + LENGTH_AT, at + GROUP_HEADER_RESERVE)), at + 4)
}

/** The header of a group of this segment at a place of `bytes`; undefined when there is none. */
export function readGroupHeader(
  bytes: Buffer,
  segment: SegmentHeader,
  at: number
): StoredGroupHeader | undefined {
  if (bytes.length - at < GROUP_HEADER_RESERVE || bytes.readUInt32BE(at) !== GROUP_MAGIC) return undefined
  if (crc32(bytes.subarray(at + LENGTH_AT, at + GROUP_HEADER_RESERVE)) !== bytes.readUInt32BE(at + 4))
    return undefined
  if (bytes.toString('hex', at + GROUP_ID_AT, at + GROUP_ID_AT + ID_BYTES) !== segment.id) return undefined
  if (bytes.readUInt32BE(at + GROUP_GENERATION_AT) !== segment.generation) return undefined
  if (bytes.readUInt32BE(at + GROUP_INCARNATION_AT) !== segment.incarnation) return undefined
  const length = bytes.readUInt32BE(at + LENGTH_AT)
  if (length < GROUP_HEADER_RESERVE + MIN_RECORD_BYTES) return undefined
  return {
    length,
    count: bytes.readUInt32BE(at + COUNT_AT),
    first: readNumber(bytes, at + GROUP_FIRST_AT),
    acknowledged: readNumber(bytes, at + ACKNOWLEDGED_AT),
    contents: bytes.readUInt32BE(at + CONTENTS_AT)
  }
}

export const damageError = (
  disk: Disk,
  name: string,
  offset: number,
  index: number,
  reason: string
): LogDamage => new LogDamage({ file: join(disk.path, name), offset, index, reason })

/** The next multiple of a size. */
export const roundUp = (value: number, size: number): number => Math.ceil(value / size) * size

/** A group or a record: index of its first commit, and its byte in the file. */
export interface GroupPosition {
  readonly first: number
  readonly offset: number
}
