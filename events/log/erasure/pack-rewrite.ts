// Erases parts of a packed segment: secrets in place, other parts by writing a new pack.
import { crc32 } from 'node:zlib'
import { readAll, readFile, writeAll, type Disk } from '../disk-port.js'
import { damageError, withFile } from '../segments/segment-access.js'
import { parseSegmentName } from '../segments/format.js'
import {
  BLOCK,
  decodePieces,
  packName,
  PackTable,
  PIECE_HEAD,
  secretsName,
  type BlockRow
} from '../segments/pack-format.js'
import { readTable } from '../segments/packed-file.js'
import { ERASED_BYTE } from '../record-format.js'
import type { FileRange } from './erased-sectors.js'

/** Where bytes of a segment are in the file of its secrets. @throws LogDamage when they are not all there */
export async function secretRanges(
  disk: Disk,
  segment: string,
  spans: readonly FileRange[]
): Promise<readonly FileRange[]> {
  const name = secretsName(segment)
  const pieces = decodePieces((await readFile(disk, name)) ?? Buffer.alloc(0))
  const ranges: FileRange[] = []
  let at = 0
  let number = 0
  let missing = spans.reduce((sum, { from, to }) => sum + to - from, 0)
  for (const { offset, bytes } of pieces ?? []) {
    at += PIECE_HEAD
    while ((spans[number]?.to ?? Infinity) <= offset) number++
    // A piece is a whole part, or as much of one as its block has.
    const span = spans[number]
    if (span && span.from <= offset) {
      ranges.push({ from: at, to: at + bytes.length })
      missing -= bytes.length
    }
    at += bytes.length
  }
  if (missing !== 0)
    throw damageError(disk, name, 0, parseSegmentName(segment)?.first ?? 0, 'it lacks secrets of its segment')
  return ranges
}

/** Replaces the pack of a segment by one with erased bytes; durable when it resolves. */
export async function rewritePack(disk: Disk, segment: string, spans: readonly FileRange[]): Promise<void> {
  const name = packName(segment)
  const temporary = `${name}.new`
  await withFile(disk, name, async pack => {
    const table = await readTable(pack)
    const { codec } = table ?? {}
    if (!table || !codec)
      throw damageError(disk, name, 0, parseSegmentName(segment)?.first ?? 0, 'its table cannot be read')
    const file = await disk.open(temporary, 'write')
    try {
      await file.truncate(0)
      const rows: BlockRow[] = []
      let end = PackTable.lengthFor(table.size)
      for (let block = 0; ; block++) {
        const row = table.row(block)
        if (!row) break
        const kept = Buffer.alloc(row.length)
        await readAll(pack, kept, row.offset)
        if (crc32(kept) !== row.crc)
          throw damageError(
            disk,
            name,
            row.offset,
            parseSegmentName(segment)?.first ?? 0,
            `the checksum of block ${block} does not hold`
          )
        const start = block * BLOCK
        const own = spans.filter(({ from, to }) => from < start + BLOCK && to > start)
        const packed = own.length === 0 ? kept : await codec.compress(without(codec.expand(kept), start, own))
        rows.push({ offset: end, length: packed.length, crc: crc32(packed), secrets: row.secrets })
        await writeAll(file, packed, end)
        end += packed.length
      }
      await writeAll(file, PackTable.encode(codec, table.size, rows), 0)
      await file.flush()
    } finally {
      await file.close()
    }
  })
  await disk.rename(temporary, name)
  await disk.flushNames()
}

const without = (block: Buffer, start: number, spans: readonly FileRange[]): Buffer => {
  for (const { from, to } of spans)
    block.fill(ERASED_BYTE, Math.max(from - start, 0), Math.min(to - start, block.length))
  return block
}
