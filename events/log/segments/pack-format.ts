// The form of a packed segment. Its bytes are in blocks, each compressed, in one file; what is secret of them is zero there, and lies as it
// was in another file, where it can be overwritten in place. The first begins with a table of the blocks.
import { promisify } from 'node:util'
import zlib, { crc32 } from 'node:zlib'

const SEGMENT = '.seg'
const PACK = '.pack'
const SECRETS = '.secrets'
const INDEX = '.idx'

export const packName = (segment: string): string => segment.replace(SEGMENT, PACK)
export const indexName = (segment: string): string => segment.replace(SEGMENT, INDEX)
export const secretsName = (segment: string): string => segment.replace(SEGMENT, SECRETS)

/** The segment that a file of this name is, or stands for when it is packed; undefined for other files. */
export const segmentOf = (name: string): string | undefined => {
  if (name.endsWith(SEGMENT)) return name
  return name.endsWith(PACK) ? name.replace(PACK, SEGMENT) : undefined
}

/** Bytes of the segment in a block: few enough that one commit is read in less than a millisecond. */
export const BLOCK = 64 * 1024

export interface Codec {
  readonly number: number
  readonly compress: (bytes: Buffer) => Promise<Buffer>
  /** A block takes about as long as handing it to another thread would. */
  readonly expand: (bytes: Buffer) => Buffer
}

const gzip: Codec = { number: 1, compress: promisify(zlib.gzip), expand: zlib.gunzipSync }
/** Node has it from 22.15 on. */
const zstd: readonly Codec[] =
  'zstdCompress' in zlib
    ? [{ number: 2, compress: promisify(zlib.zstdCompress), expand: zlib.zstdDecompressSync }]
    : []

/** With which blocks are compressed. */
export const [CODEC = gzip] = zstd
/** Undefined for one that this version of Node lacks. */
const codecOf = (number: number): Codec | undefined => [...zstd, gzip].find(codec => codec.number === number)

/** A block: where it is in the pack, how long, its CRC-32, and where its secrets begin in the other file. */
export interface BlockRow {
  readonly offset: number
  readonly length: number
  readonly crc: number
  readonly secrets: number
}

const MAGIC = Buffer.from('ANNALPAK')
const CRC_AT = 8
const CODEC_AT = 12
const SIZE_AT = 16
const COUNT_AT = 20
const ROWS_AT = 24
const ROW = 16

/** The table at the start of a pack. */
export class PackTable {
  /** Bytes of the table of a segment. */
  static lengthFor(segmentBytes: number): number {
    return ROWS_AT + Math.ceil(segmentBytes / BLOCK) * ROW
  }

  /** Magic, CRC-32 of what follows, codec, bytes of the segment, number of blocks; the rows, of four numbers each. */
  static encode(codec: Codec, size: number, rows: readonly BlockRow[]): Buffer {
    const bytes = Buffer.alloc(PackTable.lengthFor(size))
    MAGIC.copy(bytes)
    bytes.writeUInt32BE(codec.number, CODEC_AT)
    bytes.writeUInt32BE(size, SIZE_AT)
    bytes.writeUInt32BE(rows.length, COUNT_AT)
    for (const [i, { offset, length, crc, secrets }] of rows.entries())
      for (const [j, value] of [offset, length, crc, secrets].entries())
        bytes.writeUInt32BE(value, ROWS_AT + i * ROW + 4 * j)
    bytes.writeUInt32BE(crc32(bytes.subarray(CODEC_AT)), CRC_AT)
    return bytes
  }

  /** Bytes of the table that begins here; undefined when it does not begin as one does. */
  static lengthIn(start: Buffer): number | undefined {
    return start.length >= ROWS_AT && start.subarray(0, CRC_AT).equals(MAGIC)
      ? ROWS_AT + start.readUInt32BE(COUNT_AT) * ROW
      : undefined
  }

  /** @returns undefined when its checksum does not hold */
  static decode(bytes: Buffer): PackTable | undefined {
    return crc32(bytes.subarray(CODEC_AT)) === bytes.readUInt32BE(CRC_AT) ? new PackTable(bytes) : undefined
  }

  private constructor(private readonly bytes: Buffer) {}

  get codec(): Codec | undefined {
    return codecOf(this.bytes.readUInt32BE(CODEC_AT))
  }

  /** Bytes of the segment. */
  get size(): number {
    return this.bytes.readUInt32BE(SIZE_AT)
  }

  /** Undefined behind the last one. */
  row(block: number): BlockRow | undefined {
    const at = ROWS_AT + block * ROW
    if (at >= this.bytes.length) return undefined
    const value = (number: number): number => this.bytes.readUInt32BE(at + 4 * number)
    return { offset: value(0), length: value(1), crc: value(2), secrets: value(3) }
  }
}

/** Some secret bytes of a segment. */
interface Piece {
  /** Byte in the segment. */
  readonly offset: number
  readonly bytes: Buffer
}

/** Before each piece in the file of secrets: its byte in the segment, and its length. */
export const PIECE_HEAD = 8

export const encodePiece = ({ offset, bytes }: Piece): Buffer => {
  const head = Buffer.alloc(PIECE_HEAD)
  head.writeUInt32BE(offset, 0)
  head.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}

/** The pieces one behind the other, or undefined when that is not what there is. */
export const decodePieces = (bytes: Buffer): readonly Piece[] | undefined => {
  const pieces: Piece[] = []
  for (let at = 0; at < bytes.length;) {
    if (at + PIECE_HEAD > bytes.length) return undefined
    const start = at + PIECE_HEAD
    const end = start + bytes.readUInt32BE(at + 4)
    if (end > bytes.length) return undefined
    pieces.push({ offset: bytes.readUInt32BE(at), bytes: bytes.subarray(start, end) })
    at = end
  }
  return pieces
}
