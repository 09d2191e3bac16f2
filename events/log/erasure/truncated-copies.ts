// Erases in the copies of what repairs have cut off a log.
import { namesIn, readAll, unlinkAll, type Disk, type ReadableFile } from '../disk-port.js'
import type { CommitErasure } from '../../erasure.js'
import { LogUnusable, type TruncatedCopyErasure } from '../log.js'
import { decodeSegmentHeader, GROUPS_AT, type SegmentHeader } from '../segments/format.js'
import { TRUNCATED_COPIES_FOLDER } from '../segments/repair.js'
import { segmentsIn, primaryFilesOf, withSegment } from '../segments/segment-files.js'
import { readUnreadTail, GroupScanner } from '../segments/group-scanner.js'
import { eraseSegmentParts } from './erase-segment-parts.js'
import { finishRewrite } from './journal.js'

const NAME = /^(\d{16})-\d+$/

/**
 * Erases parts of records wherever a copy has them; durable when it resolves. Costs reading the copies.
 * @param erasureOf gets the index of the first commit that the repair has cut off
 * @returns paths of the files that were removed, since not all of them can be read
 */
export async function eraseInTruncatedCopies(
  log: Disk,
  erasureOf: (first: number) => TruncatedCopyErasure
): Promise<readonly string[]> {
  const removed: string[] = []
  const folders = log.folder(TRUNCATED_COPIES_FOLDER)
  for (const name of await namesIn(folders)) {
    const [, first] = NAME.exec(name) ?? []
    if (first === undefined) continue
    const copy = folders.folder(name)
    await finishRewrite(copy)
    const { erasureOf: wanted, removesUnreadable } = erasureOf(Number(first))
    for (const segment of segmentsIn(await copy.list())) {
      if ((await eraseInSegment(copy, segment, wanted)) || !removesUnreadable) continue
      const names = new Set(await copy.list())
      await unlinkAll(
        copy,
        primaryFilesOf(segment).filter(each => names.has(each))
      )
      await copy.flushNames()
      removed.push(`${copy.path}/${segment}`)
    }
  }
  return removed
}

/** @returns whether all of it could be read */
async function eraseInSegment(
  copy: Disk,
  name: string,
  wanted: TruncatedCopyErasure['erasureOf']
): Promise<boolean> {
  try {
    const found = new Map<number, CommitErasure>()
    const [segment, isWhole] = await withSegment(copy, name, async file => {
      const start = Buffer.alloc(GROUPS_AT)
      const header = decodeSegmentHeader(start.subarray(0, await readAll(file, start, 0)))
      if (typeof header === 'string') throw new LogUnusable(header)
      return [header, await collect(file, header, wanted, found)] as const
    })
    if (found.size > 0) await eraseSegmentParts(copy, { ...segment, name, last: Infinity }, found)
    return isWhole
  } catch (error) {
    // What a text is, or whose, may be damaged too.
    if (error instanceof LogUnusable || error instanceof SyntaxError) return false
    throw error
  }
}

/** @returns whether nothing lies behind what could be read */
async function collect(
  file: ReadableFile,
  segment: SegmentHeader,
  wanted: TruncatedCopyErasure['erasureOf'],
  found: Map<number, CommitErasure>
): Promise<boolean> {
  const walk = new GroupScanner(file, segment, { withParts: false })
  for (let groups = await walk.groups(); groups.length > 0; groups = await walk.groups())
    for (const { records } of groups)
      for (const record of records) {
        const erasing = wanted(record)
        if (erasing) found.set(record.index, erasing)
      }
  return (await readUnreadTail(file, segment, walk.offset, walk.next)).bytes === 0
}
