// Erases parts of a packed segment: secrets in place, other parts by writing a new pack.
import { crc32 } from 'node:zlib'
import { readAll, readFile, withFile, writeAll, writeFile, type Disk } from '../disk-port.js'
import { damageError, parseSegmentName } from '../segments/format.js'
import {
  BLOCK,
  decodePieces,
  packName,
  PackTable,
  PIECE_HEAD,
  secretsName,
  type BlockRow
} from '../segments/pack-format.js'
import { readTable } from '../segments/segment-files.js'
import { ERASED_BYTE } from '../record-format.js'
import type { FileRange } from './erased-sectors.js'

/** Maps byte ranges of a segment to its secrets file. @throws LogDamage if some are missing */
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
    // A piece is a part, or the share of a part in one block.
    const span = spans[number]
    if (span && span.from <= offset) {
      ranges.push({ from: at, to: at + bytes.length })
      missing -= bytes.length
    }
    at += bytes.length
  }
  if (missing !== 0) throw damageIn(disk, segment, name)('it lacks secrets of its segment')
  return ranges
}

const damageIn =
  (disk: Disk, segment: string, name: string) =>
  (reason: string, offset = 0): Error =>
    damageError(disk, name, offset, parseSegmentName(segment)?.first ?? 0, reason)

/** Replaces the pack of a segment by one with erased bytes; durable when it resolves. */
export async function rewritePack(disk: Disk, segment: string, spans: readonly FileRange[]): Promise<void> {
  const name = packName(segment)
  const temporary = `${name}.new`
  const damaged = damageIn(disk, segment, name)
  await withFile(disk, name, async pack => {
    const table = await readTable(pack)
    const { codec } = table ?? {}
    if (!table || !codec) throw damaged('its table cannot be read')
    await writeFile(disk, temporary, async file => {
      const rows: BlockRow[] = []
      let end = PackTable.lengthFor(table.size)
      for (let block = 0; ; block++) {
        const row = table.row(block)
        if (!row) break
        const old = Buffer.alloc(row.length)
        await readAll(pack, old, row.offset)
        if (crc32(old) !== row.crc) throw damaged(`the checksum of block ${block} does not hold`, row.offset)
        const start = block * BLOCK
        const own = spans.filter(({ from, to }) => from < start + BLOCK && to > start)
        const packed = own.length === 0 ? old : await codec.compress(without(codec.expand(old), start, own))
        rows.push({ offset: end, length: packed.length, crc: crc32(packed), secrets: row.secrets })
        await writeAll(file, packed, end)
        end += packed.length
      }
      await writeAll(file, PackTable.encode(codec, table.size, rows), 0)
    })
  })
  await disk.rename(temporary, name)
  await disk.flushNames()
}

const without = (block: Buffer, start: number, spans: readonly FileRange[]): Buffer => {
  for (const { from, to } of spans)
    block.fill(ERASED_BYTE, Math.max(from - start, 0), Math.min(to - start, block.length))
  return block
}
