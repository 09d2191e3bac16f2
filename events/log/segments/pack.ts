// Packs a sealed segment, and makes it plain again.
import { crc32 } from 'node:zlib'
import {
  copyBytes,
  readAll,
  unlinkAll,
  withFile,
  writeAll,
  writeFile,
  type Disk,
  type ReadableFile
} from '../disk-port.js'
import { GROUP_HEADER_RESERVE } from '../record-format.js'
import { type SegmentHeader, damageError } from './format.js'
import { BLOCK, CODEC, encodePiece, packName, PackTable, secretsName, type BlockRow } from './pack-format.js'
import { PackedFile, removePack } from './segment-files.js'
import { GroupScanner } from './group-scanner.js'

/** Start and end of some bytes. */
type Span = readonly [from: number, to: number]

/**
 * Packs a sealed segment: writes pack and secrets, reads them back, compares them with the segment, and only then removes that. Where there is
 * a pack its secrets are there too, at any moment; what a crash leaves is done again.
 * @param end byte behind the last group that counts
 * @throws LogDamage, and what the file system reports
 */
export async function packSegment(
  disk: Disk,
  segment: SegmentHeader & { readonly name: string },
  end: number
): Promise<void> {
  const { name } = segment
  await removePack(disk, name)
  try {
    await packBeside(disk, segment, end)
  } catch (error) {
    // The disk may be full: what was begun takes room.
    await unlinkAll(disk, [packName(name), secretsName(name)].map(temporaryName)).catch(() => {})
    throw error
  }
  await disk.unlink(name)
  await disk.flushNames()
}

const temporaryName = (name: string): string => `${name}.new`

async function packBeside(
  disk: Disk,
  segment: SegmentHeader & { readonly name: string },
  end: number
): Promise<void> {
  const { name } = segment
  await withFile(disk, name, async file => {
    await writePack(disk, name, { file, spans: await secretSpans(file, segment, end), end })
    for (const made of [secretsName(name), packName(name)]) {
      await disk.rename(temporaryName(made), made)
      await disk.flushNames()
    }
    const packed = await PackedFile.open(disk, name)
    try {
      const at = await firstDifference(file, packed, end)
      if (at !== undefined)
        throw damageError(disk, packName(name), at, segment.first, 'it is not the segment that was packed')
    } finally {
      await packed.close()
    }
  })
}

/** Makes a packed segment plain. As long as both are there, the plain one counts. @throws LogDamage, and what the file system reports */
export async function unpackSegment(disk: Disk, name: string): Promise<void> {
  const temporary = temporaryName(name)
  const packed = await PackedFile.open(disk, name)
  try {
    await writeFile(disk, temporary, file => copyBytes(packed, file, BLOCK))
  } finally {
    await packed.close()
  }
  await disk.rename(temporary, name)
  await disk.flushNames()
  await removePack(disk, name)
}

/** Where two files differ in their first bytes; undefined when they do not. */
async function firstDifference(
  file: ReadableFile,
  other: ReadableFile,
  end: number
): Promise<number | undefined> {
  const [one, two] = [Buffer.alloc(BLOCK), Buffer.alloc(BLOCK)]
  for (let at = 0; at < end; at += BLOCK) {
    const length = Math.min(BLOCK, end - at)
    await readAll(file, one.subarray(0, length), at)
    await readAll(other, two.subarray(0, length), at)
    if (!one.subarray(0, length).equals(two.subarray(0, length))) return at
  }
  return undefined
}

/** Where the secrets of a segment are, ascending. */
async function secretSpans(
  file: ReadableFile,
  segment: SegmentHeader,
  end: number
): Promise<readonly Span[]> {
  const spans: Span[] = []
  const walk = new GroupScanner(file, segment)
  while (walk.offset < end) {
    const groups = await walk.groups()
    if (groups.length === 0) break
    for (const { offset, records } of groups) {
      let at = offset + GROUP_HEADER_RESERVE
      for (const record of records) {
        for (const [from, to] of record.secrets()) spans.push([at + from, at + to])
        at += record.bytes.length
      }
    }
  }
  return spans
}

interface ToPack {
  readonly file: ReadableFile
  readonly spans: readonly Span[]
  readonly end: number
}

async function writePack(disk: Disk, name: string, { file, spans, end }: ToPack): Promise<void> {
  const pack = await disk.open(temporaryName(packName(name)), 'write')
  const secrets = await disk.open(temporaryName(secretsName(name)), 'write')
  try {
    await pack.truncate(0)
    await secrets.truncate(0)
    const rows: BlockRow[] = []
    let packEnd = PackTable.lengthFor(end)
    let secretsEnd = 0
    let next = 0
    for (let start = 0; start < end; start += BLOCK) {
      const bytes = Buffer.alloc(Math.min(BLOCK, end - start))
      await readAll(file, bytes, start)
      const hidden = takeSecrets(bytes, start, spans, next)
      next = hidden.next
      const packed = await CODEC.compress(bytes)
      rows.push({ offset: packEnd, length: packed.length, crc: crc32(packed), secrets: secretsEnd })
      await writeAll(pack, packed, packEnd)
      await writeAll(secrets, hidden.pieces, secretsEnd)
      packEnd += packed.length
      secretsEnd += hidden.pieces.length
    }
    await writeAll(pack, PackTable.encode(CODEC, end, rows), 0)
    await pack.flush()
    await secrets.flush()
  } finally {
    await Promise.all([pack.close(), secrets.close()])
  }
}

/**
 * Takes the secrets out of a block, which has zeros in their place then.
 * @param next number of the first span that does not end before the block
 * @returns them as pieces, and the number of the first span that does not end in the block
 */
function takeSecrets(
  block: Buffer,
  start: number,
  spans: readonly Span[],
  next: number
): { readonly pieces: Buffer; readonly next: number } {
  const pieces: Buffer[] = []
  const end = start + block.length
  let number = next
  for (; number < spans.length; number++) {
    const [from = 0, to = 0] = spans[number] ?? []
    if (from >= end) break
    const bytes = block.subarray(Math.max(from - start, 0), Math.min(to - start, block.length))
    pieces.push(encodePiece({ offset: Math.max(from, start), bytes }))
    bytes.fill(0)
    // The rest of it is in the next block.
    if (to > end) break
  }
  return { pieces: Buffer.concat(pieces), next: number }
}
