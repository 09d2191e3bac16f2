// How segments go, one after another: whatever is left of it after a crash, the next start finds a log without a gap.
import type { Disk } from '../disk-port.js'
import type { PrunableSegment } from '../log.js'
import { bySequence, parseSegmentName } from './format.js'
import type { Segment } from './segment.js'
import { removeSegments, diskUsageOf, segmentsIn } from './segment-files.js'

/** The sealed segments as pieces of a log. */
export const prunableSegmentsOf = (disk: Disk, sealed: readonly Segment[]): Promise<PrunableSegment[]> =>
  Promise.all(sealed.map(async ({ name, last }) => ({ last, ...(await diskUsageOf(disk, name)) })))

/** Removes the oldest segment that counts; durable when it resolves. */
export async function pruneSegment(disk: Disk, segment: Segment): Promise<void> {
  const before = segmentsIn(await disk.list()).filter(name => {
    const other = parseSegmentName(name)
    return other !== undefined && bySequence(other, segment) < 0
  })
  // What it made void would count again without it.
  await removeSegments(disk, before)
  await removeSegments(disk, [segment.name])
}
