// A packed segment, read as the segment was: the same bytes at the same places.
import { crc32 } from 'node:zlib'
import { readAll, readBytes, type Disk, type DiskFile, type ReadableFile } from '../disk-port.js'
import { parseSegmentName, damageError } from './format.js'
import { BLOCK, decodePieces, packName, PackTable, secretsName, type Codec } from './pack-format.js'
import { hasCode } from '../../errors.js'

/** Read at once for the table, which is longer for a segment that is larger than others. */
const TABLE_BYTES = 16 * 1024

interface Opened {
  readonly pack: DiskFile
  readonly secrets: DiskFile
  readonly table: PackTable
  readonly codec: Codec
  /** An error about a byte of the pack. */
  readonly damaged: (reason: string, offset?: number) => Error
}

export class PackedFile implements ReadableFile {
  #kept: { readonly block: number; readonly bytes: Buffer } | undefined

  /** @throws LogDamage, and what the file system reports: ENOENT when the segment is not packed */
  static async open(disk: Disk, segment: string): Promise<PackedFile> {
    const first = parseSegmentName(segment)?.first ?? 0
    const damaged = (reason: string, offset = 0): Error =>
      damageError(disk, packName(segment), offset, first, reason)
    const pack = await disk.open(packName(segment), 'read')
    const opening = disk.open(secretsName(segment), 'read').catch((error: unknown) => {
      throw hasCode(error, 'ENOENT') ? damaged('the file of its secrets is missing') : error
    })
    try {
      const [secrets, table] = await Promise.all([opening, readTable(pack)])
      if (!table) throw damaged('the checksum of its table does not hold')
      const { codec } = table
      if (!codec) throw damaged('this version of Node cannot expand it')
      return new PackedFile({ pack, secrets, table, codec, damaged })
    } catch (error) {
      await Promise.allSettled([pack.close(), opening.then(secrets => secrets.close())])
      throw error
    }
  }

  private constructor(private readonly opened: Opened) {}

  async size(): Promise<number> {
    return this.opened.table.size
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    if (position >= this.opened.table.size) return 0
    const block = Math.floor(position / BLOCK)
    if (this.#kept?.block !== block) this.#kept = { block, bytes: await this.#expand(block) }
    const bytes = this.#kept.bytes.subarray(position - block * BLOCK).subarray(0, target.length)
    target.set(bytes)
    return bytes.length
  }

  async close(): Promise<void> {
    await Promise.all([this.opened.pack.close(), this.opened.secrets.close()])
  }

  async #expand(block: number): Promise<Buffer> {
    const { table, pack, codec, damaged } = this.opened
    const row = table.row(block)
    if (!row) throw damaged(`its table has no block ${block}`)
    const packed = Buffer.alloc(row.length)
    const [pieces] = await Promise.all([this.#pieces(block, row.secrets), readAll(pack, packed, row.offset)])
    if (crc32(packed) !== row.crc) throw damaged(`the checksum of block ${block} does not hold`, row.offset)
    const bytes = codec.expand(packed)
    const start = block * BLOCK
    const found = decodePieces(pieces)
    if (
      !found?.every(
        piece => piece.offset >= start && piece.offset + piece.bytes.length <= start + bytes.length
      )
    )
      throw damaged(`the secrets of block ${block} are not where they should be`, row.offset)
    for (const piece of found) piece.bytes.copy(bytes, piece.offset - start)
    return bytes
  }

  async #pieces(block: number, start: number): Promise<Buffer> {
    const { table, secrets } = this.opened
    const end = table.row(block + 1)?.secrets ?? (await secrets.size())
    return readBytes(secrets, Math.max(end - start, 0), start)
  }
}

/** The table of a pack; undefined when it is damaged. */
export async function readTable(pack: DiskFile): Promise<PackTable | undefined> {
  const start = await readBytes(pack, TABLE_BYTES)
  const length = PackTable.lengthIn(start)
  if (length === undefined || length > (await pack.size())) return undefined
  return PackTable.decode(length <= start.length ? start.subarray(0, length) : await readBytes(pack, length))
}
