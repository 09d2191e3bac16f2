// Opens the files of a segment, plain or packed.
import { crc32 } from 'node:zlib'
import {
  readAll,
  readBytes,
  type Disk,
  type DiskFile,
  type ReadableFile,
  unlinkAll,
  withFile
} from '../disk-port.js'
import { parseSegmentName, damageError } from './format.js'
import {
  BLOCK,
  decodePieces,
  packName,
  PackTable,
  secretsName,
  type Codec,
  indexName,
  segmentOf
} from './pack-format.js'
import { hasCode, isMissingFile, orUndefined } from '../../errors.js'
import { postErasureView } from '../erasure/erasable-parts.js'
import { unfinishedRewrites } from '../erasure/journal.js'
import { LogDamage, type PrunableSegment } from '../log.js'

// A packed segment, read as the segment was: the same bytes at the same places.

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

/** The segments among the names of a folder, each once. */
export const segmentsIn = (names: readonly string[]): readonly string[] => [
  ...new Set(names.flatMap(name => segmentOf(name) ?? []))
]

/** Reads a folder and retries a failure if its segments have changed meanwhile. @param read receives the names in the folder */
export async function readWithRetry<T>(
  disk: Disk,
  read: (names: readonly string[]) => Promise<T>
): Promise<T> {
  for (;;) {
    const names = await disk.list()
    try {
      return await read(names)
    } catch (error) {
      const now = await disk.list()
      if (sorted(segmentsIn(now)) === sorted(segmentsIn(names))) throw error
    }
  }
}

const sorted = (names: readonly string[]): string => names.toSorted().join()

/** The names that the truth of a segment may have: without what is derived from it. */
export const primaryFilesOf = (segment: string): readonly string[] => [
  segment,
  packName(segment),
  secretsName(segment)
]

/**
 * Opens a segment for reading, gives it to `use`, and closes it; once more when that finds damage.
 * @throws LogDamage when it is packed and damaged; what the file system reports: ENOENT when it is not there in either form
 */
export async function withSegment<T>(
  disk: Disk,
  name: string,
  use: (file: ReadableFile) => Promise<T>
): Promise<T> {
  try {
    return await useSegment(disk, name, use)
  } catch (error) {
    if (!(error instanceof LogDamage)) throw error
    // Parts may have been erased while they were read, by half.
    return useSegment(postErasureView(disk, await unfinishedRewrites(disk)), name, use)
  }
}

/** Opens a segment for reading. @throws as `withSegment` */
export const openSegment = async (disk: Disk, name: string): Promise<ReadableFile> =>
  (await orUndefined(disk.open(name, 'read'), isMissingFile)) ?? PackedFile.open(disk, name)

async function useSegment<T>(disk: Disk, name: string, use: (file: ReadableFile) => Promise<T>): Promise<T> {
  const file = await openSegment(disk, name)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Room that a segment takes, its index left out. */
export async function diskUsageOf(
  disk: Disk,
  segment: string
): Promise<Pick<PrunableSegment, 'bytes' | 'isPacked'>> {
  const sizeOf = (name: string): Promise<number> => withFile(disk, name, file => file.size())
  const plain = await orUndefined(sizeOf(segment), isMissingFile)
  if (plain !== undefined) return { bytes: plain }
  return { bytes: (await sizeOf(packName(segment))) + (await sizeOf(secretsName(segment))), isPacked: true }
}

/** Removes what stands beside a plain segment in packed form, the pack before its secrets: without them it would be damage. */
export async function removePack(disk: Disk, segment: string): Promise<void> {
  const names = new Set(await disk.list())
  if (!names.has(packName(segment)) && !names.has(secretsName(segment))) return
  await unlinkAll(disk, [packName(segment)])
  await disk.flushNames()
  await unlinkAll(disk, [secretsName(segment)])
}

/** Removes segments, in either form; durable when it resolves. At any moment each is whole or not there. */
export async function removeSegments(disk: Disk, segments: readonly string[]): Promise<void> {
  if (segments.length === 0) return
  const names = new Set(await disk.list())
  const both = segments.filter(name => names.has(name) && names.has(packName(name)))
  if (both.length > 0) {
    // What a crash has left of a pack must not stand in for the segment.
    await unlinkAll(disk, both.map(packName))
    await disk.flushNames()
  }
  await unlinkAll(
    disk,
    segments.flatMap(name => [name, packName(name)].filter(each => names.has(each)))
  )
  await disk.flushNames()
  await unlinkAll(
    disk,
    segments.flatMap(name => [secretsName(name), indexName(name)].filter(each => names.has(each)))
  )
  await disk.flushNames()
}
