// How segments go, one after another: whatever is left of it after a crash, the next start finds a log without a gap.
import { hasCode, type Disk } from '../disk.js'
import type { LogPiece } from '../log.js'
import { bySequence, parseSegmentName } from './format.js'
import { indexName } from './index-file.js'
import { bytesOf, packedNames, PACKED, segmentOf } from './pack.js'
import type { Segment } from './segment.js'

/** The sealed segments as pieces of a log. */
export const piecesOf = (disk: Disk, sealed: readonly Segment[]): Promise<LogPiece[]> =>
  Promise.all(sealed.map(async ({ name, last }) => ({ last, bytes: await bytesOf(disk, name) })))

const ignoreMissing = (error: unknown): void => {
  if (!hasCode(error, 'ENOENT')) throw error
}

/** Removes the oldest segment that counts; durable when it resolves. */
export async function unlinkSegment(disk: Disk, segment: Segment): Promise<void> {
  for (const name of await disk.list()) {
    const other = parseSegmentName(name.endsWith(PACKED) ? segmentOf(name) : name)
    // What it made void would count again without it.
    if (other && bySequence(other, segment) < 0) await disk.unlink(name).catch(ignoreMissing)
  }
  await disk.flushNames()
  await disk.unlink(segment.name).catch(ignoreMissing)
  for (const name of [...packedNames(segment.name), indexName(segment.name)])
    await disk.unlink(name).catch(ignoreMissing)
  // The next one goes only when this one has: names may be lost in any order.
  await disk.flushNames()
}
