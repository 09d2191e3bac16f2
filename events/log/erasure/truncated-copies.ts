import { namesIn, readBytes, unlinkAll, type Disk, type ReadableFile } from '../disk-port.js'
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
 * Erases parts of records in all copies; durable when it resolves. Reads the copies completely.
 * @param erasureOf receives the index of the first truncated commit
 * @returns paths of the files that were removed because they are not completely readable
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

/** Returns false if the segment is not completely readable. */
async function eraseInSegment(
  copy: Disk,
  name: string,
  wanted: TruncatedCopyErasure['erasureOf']
): Promise<boolean> {
  try {
    const found = new Map<number, CommitErasure>()
    const [segment, isWhole] = await withSegment(copy, name, async file => {
      const header = decodeSegmentHeader(await readBytes(file, GROUPS_AT))
      if (typeof header === 'string') throw new LogUnusable(header)
      return [header, await collect(file, header, wanted, found)] as const
    })
    if (found.size > 0) await eraseSegmentParts(copy, { ...segment, name, last: Infinity }, found)
    return isWhole
  } catch (error) {
    // The damage may affect any text.
    if (error instanceof LogUnusable || error instanceof SyntaxError) return false
    throw error
  }
}

/** Collects the parts to erase by index. Returns false if unreadable bytes follow. */
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
