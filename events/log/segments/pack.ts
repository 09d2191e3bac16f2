// A sealed segment in compressed blocks, its secrets beside it as they are. Opened here, it is read as the segment was: the same
// bytes at the same places.
import { promisify } from 'node:util'
import zlib, { crc32 } from 'node:zlib'
import { hasCode, readAll, writeAll, type Disk, type DiskFile, type ReadableFile } from '../disk.js'
import { GROUP_ROOM } from '../group.js'
import { damage, withFile } from './files.js'
import { parseSegmentName, type SegmentHeader } from './format.js'
import { SegmentWalk } from './walk.js'

export const PACKED = '.pack'
const SECRETS = '.secrets'

/** Bytes of the segment in a block: few enough that one commit is read in less than a millisecond. */
const BLOCK = 64 * 1024
/** At the start of the file: magic, CRC-32 of the rest of the table, codec, bytes of the segment, number of blocks. */
const MAGIC = Buffer.from('ANNALPAK')
const CRC_AT = 8
const CODEC_AT = 12
const SIZE_AT = 16
const COUNT_AT = 20
const ROWS_AT = 24
/** Of each block: where it is, how long, its CRC-32, and where its secrets begin in the file of secrets. */
const ROW = 16
/** Read at once for the table, which is longer for a segment that is larger than others. */
const TABLE_BYTES = 16 * 1024
/** In the file of secrets, before each piece: its byte in the segment, and its length. */
const PIECE_HEAD = 8

interface Codec {
  readonly number: number
  readonly compress: (bytes: Buffer) => Promise<Buffer>
  readonly expand: (bytes: Buffer) => Promise<Buffer>
}

const gzip: Codec = { number: 1, compress: promisify(zlib.gzip), expand: promisify(zlib.gunzip) }
/** Node has it from 22.15 on. */
const zstd: readonly Codec[] =
  'zstdCompress' in zlib
    ? [{ number: 2, compress: promisify(zlib.zstdCompress), expand: promisify(zlib.zstdDecompress) }]
    : []
const CODECS: readonly Codec[] = [...zstd, gzip]

const packName = (segment: string): string => segment.replace(/\.seg$/, PACKED)
const secretsName = (segment: string): string => segment.replace(/\.seg$/, SECRETS)
/** The segment that a pack stands for. */
export const segmentOf = (pack: string): string => pack.replace(/\.pack$/, '.seg')

/** The files of a segment when it is packed. */
export const packedNames = (segment: string): readonly string[] => [packName(segment), secretsName(segment)]

/** Bytes that a segment takes, packed or not. */
export async function bytesOf(disk: Disk, segment: string): Promise<number> {
  const sizeOf = (name: string): Promise<number> => withFile(disk, name, file => file.size())
  try {
    return await sizeOf(segment)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    const sizes = await Promise.all(packedNames(segment).map(sizeOf))
    return sizes.reduce((sum, size) => sum + size, 0)
  }
}

/** Opens a segment, packed or not, for reading, gives it to `use`, and closes it. @throws LogDamage when it is packed and damaged */
export async function withSegment<T>(
  disk: Disk,
  name: string,
  use: (file: ReadableFile) => Promise<T>
): Promise<T> {
  let file: ReadableFile
  try {
    file = await disk.open(name, 'read')
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    file = await PackedFile.open(disk, name, error)
  }
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

class PackedFile implements ReadableFile {
  #kept: { readonly block: number; readonly bytes: Buffer } | undefined

  /** @param missing what opening the segment itself has thrown */
  static async open(disk: Disk, segment: string, missing: unknown): Promise<PackedFile> {
    const first = parseSegmentName(segment)?.first ?? 0
    const damaged = (reason: string): Error => damage(disk, packName(segment), 0, first, reason)
    const opened = await Promise.allSettled(packedNames(segment).map(name => disk.open(name, 'read')))
    const [pack, secrets] = opened.map(each => (each.status === 'fulfilled' ? each.value : undefined))
    const failure = opened.find(each => each.status === 'rejected')
    try {
      if (!pack && failure) throw hasCode(failure.reason, 'ENOENT') ? missing : failure.reason
      if (!pack || !secrets)
        throw hasCode(failure?.reason, 'ENOENT')
          ? damaged('the file of its secrets is missing')
          : failure?.reason
      const table = await readTable(pack)
      if (!table) throw damaged('the checksum of its table does not hold')
      const codec = CODECS.find(({ number }) => number === table.readUInt32BE(CODEC_AT))
      if (!codec) throw damaged('this version of Node cannot expand it')
      return new PackedFile(pack, secrets, table, codec, damaged)
    } catch (error) {
      await Promise.all([pack?.close(), secrets?.close()])
      throw error
    }
  }

  private constructor(
    private readonly pack: DiskFile,
    private readonly secrets: DiskFile,
    private readonly table: Buffer,
    private readonly codec: Codec,
    private readonly damaged: (reason: string) => Error
  ) {}

  async size(): Promise<number> {
    return this.table.readUInt32BE(SIZE_AT)
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    if (position >= (await this.size())) return 0
    const block = Math.floor(position / BLOCK)
    if (this.#kept?.block !== block) this.#kept = { block, bytes: await this.#expand(block) }
    const bytes = this.#kept.bytes.subarray(position - block * BLOCK)
    target.set(bytes.subarray(0, target.length))
    return Math.min(bytes.length, target.length)
  }

  async close(): Promise<void> {
    await Promise.all([this.pack.close(), this.secrets.close()])
  }

  async #expand(block: number): Promise<Buffer> {
    const row = ROWS_AT + block * ROW
    const packed = Buffer.alloc(this.table.readUInt32BE(row + 4))
    const start = this.table.readUInt32BE(row + 12)
    const isLast = row + ROW >= this.table.length
    const end = isLast ? await this.secrets.size() : this.table.readUInt32BE(row + ROW + 12)
    const pieces = Buffer.alloc(Math.max(end - start, 0))
    await Promise.all([
      readAll(this.pack, packed, this.table.readUInt32BE(row)),
      readAll(this.secrets, pieces, start)
    ])
    if (crc32(packed) !== this.table.readUInt32BE(row + 8))
      throw this.damaged(`the checksum of block ${block} does not hold`)
    const bytes = await this.codec.expand(packed)
    for (let at = 0; at + PIECE_HEAD <= pieces.length;) {
      const position = pieces.readUInt32BE(at) - block * BLOCK
      const length = pieces.readUInt32BE(at + 4)
      if (position < 0 || position + length > bytes.length || at + PIECE_HEAD + length > pieces.length)
        throw this.damaged(`the secrets of block ${block} are not where they should be`)
      pieces.copy(bytes, position, at + PIECE_HEAD, at + PIECE_HEAD + length)
      at += PIECE_HEAD + length
    }
    return bytes
  }
}

/** The table at the start of a pack; undefined when it is damaged. */
async function readTable(pack: DiskFile): Promise<Buffer | undefined> {
  let table = Buffer.alloc(TABLE_BYTES)
  let got = await readAll(pack, table, 0)
  const length = got < ROWS_AT ? 0 : ROWS_AT + table.readUInt32BE(COUNT_AT) * ROW
  if (length > got && got === TABLE_BYTES && length <= (await pack.size())) {
    table = Buffer.alloc(length)
    got = await readAll(pack, table, 0)
  }
  if (length === 0 || length > got) return undefined
  table = table.subarray(0, length)
  const isSound =
    table.subarray(0, CRC_AT).equals(MAGIC) && crc32(table.subarray(CODEC_AT)) === table.readUInt32BE(CRC_AT)
  return isSound ? table : undefined
}

/**
 * Packs a sealed segment: writes pack and secrets, reads them back, compares them with the segment, and only then removes that. What a
 * crash leaves of it is done again.
 * @param end byte behind the last group that counts
 * @throws LogDamage, and what the file system reports
 */
export async function packSegment(
  disk: Disk,
  segment: SegmentHeader & { readonly name: string },
  end: number
): Promise<void> {
  const { name } = segment
  await withFile(disk, name, async file => {
    const spans = await secretSpans(file, segment, end)
    await writePack(disk, name, file, spans, end)
    await disk.rename(`${packName(name)}.new`, packName(name))
    await disk.rename(`${secretsName(name)}.new`, secretsName(name))
    await disk.flushNames()
    const packed = await PackedFile.open(disk, name, undefined)
    try {
      const [was, is] = [Buffer.alloc(BLOCK), Buffer.alloc(BLOCK)]
      for (let at = 0; at < end; at += BLOCK) {
        const length = Math.min(BLOCK, end - at)
        await readAll(file, was.subarray(0, length), at)
        await readAll(packed, is.subarray(0, length), at)
        if (!was.subarray(0, length).equals(is.subarray(0, length)))
          throw damage(disk, packName(name), at, segment.first, 'it is not the segment that was packed')
      }
    } finally {
      await packed.close()
    }
  })
  await disk.unlink(name)
  await disk.flushNames()
}

/** Where the secrets of a segment are: start and end of each, ascending. */
async function secretSpans(
  file: DiskFile,
  segment: SegmentHeader,
  end: number
): Promise<readonly (readonly [number, number])[]> {
  const spans: (readonly [number, number])[] = []
  const walk = new SegmentWalk(file, segment)
  while (walk.offset < end) {
    const groups = await walk.groups()
    if (groups.length === 0) break
    for (const { offset, records } of groups) {
      let at = offset + GROUP_ROOM
      for (const record of records) {
        for (const [from, to] of record.secrets()) spans.push([at + from, at + to])
        at += record.bytes.length
      }
    }
  }
  return spans
}

async function writePack(
  disk: Disk,
  name: string,
  file: DiskFile,
  spans: readonly (readonly [number, number])[],
  end: number
): Promise<void> {
  const [codec = gzip] = CODECS
  const count = Math.ceil(end / BLOCK)
  const table = Buffer.alloc(ROWS_AT + count * ROW)
  const pack = await disk.open(`${packName(name)}.new`, 'write')
  const secrets = await disk.open(`${secretsName(name)}.new`, 'write')
  try {
    await pack.truncate(0)
    await secrets.truncate(0)
    let packEnd = table.length
    let secretsEnd = 0
    let next = 0
    for (let block = 0; block < count; block++) {
      const start = block * BLOCK
      const bytes = Buffer.alloc(Math.min(BLOCK, end - start))
      await readAll(file, bytes, start)
      const pieces: Buffer[] = []
      for (; next < spans.length; next++) {
        const [from = 0, to = 0] = spans[next] ?? []
        if (from >= start + bytes.length) break
        const [first, last] = [Math.max(from - start, 0), Math.min(to - start, bytes.length)]
        const head = Buffer.alloc(PIECE_HEAD)
        head.writeUInt32BE(start + first, 0)
        head.writeUInt32BE(last - first, 4)
        pieces.push(head, Buffer.from(bytes.subarray(first, last)))
        bytes.fill(0, first, last)
        // The rest of it is in the next block.
        if (to > start + bytes.length) break
      }
      const packed = await codec.compress(bytes)
      const row = ROWS_AT + block * ROW
      table.writeUInt32BE(packEnd, row)
      table.writeUInt32BE(packed.length, row + 4)
      table.writeUInt32BE(crc32(packed), row + 8)
      table.writeUInt32BE(secretsEnd, row + 12)
      await writeAll(pack, packed, packEnd)
      packEnd += packed.length
      const plain = Buffer.concat(pieces)
      await writeAll(secrets, plain, secretsEnd)
      secretsEnd += plain.length
    }
    MAGIC.copy(table)
    table.writeUInt32BE(codec.number, CODEC_AT)
    table.writeUInt32BE(end, SIZE_AT)
    table.writeUInt32BE(count, COUNT_AT)
    table.writeUInt32BE(crc32(table.subarray(CODEC_AT)), CRC_AT)
    await writeAll(pack, table, 0)
    await pack.flush()
    await secrets.flush()
  } finally {
    await pack.close()
    await secrets.close()
  }
}
