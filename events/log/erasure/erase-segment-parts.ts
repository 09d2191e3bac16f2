// Erases parts of commits in a plain or packed segment. Repeating the erasure completes an interrupted one.
import { type Disk, withFile } from '../disk-port.js'
import { secretsName } from '../segments/pack-format.js'
import { damageError, type GroupPosition } from '../segments/format.js'
import type { Segment } from '../segments/segment.js'
import { withSegment } from '../segments/segment-files.js'
import { rewriteInPlace } from './journal.js'
import { rewritePack, secretRanges } from './pack-rewrite.js'
import { readErasedSectors, type FileRange } from './erased-sectors.js'
import type { CommitErasure } from '../../erasure.js'
import { findPartRanges, type PartRange } from './erasable-parts.js'

/** Bytes that are overwritten in one step. */
const STEP_BYTES = 1024 * 1024
/** The largest sector of any disk, for files that are never appended to. */
const LARGEST_SECTOR = 4096

interface ErasureOptions {
  /** First position to read; default: the first group. */
  readonly from?: GroupPosition | undefined
  /** Called with the erasure if it covers origins: what is derived from them has to go first. */
  readonly whileErasingOrigins?: (erase: () => Promise<void>) => Promise<void>
}

/**
 * Erases parts of a segment; durable when it resolves. The writer may append to the segment meanwhile, but not pack or
 * remove it.
 * @param wanted by index; erased parts are skipped
 * @returns the number of erased parts
 * @throws LogDamage if a wanted commit cannot be found, after the erasure of the others; errors of the file system
 */
export async function eraseSegmentParts(
  disk: Disk,
  segment: Segment,
  wanted: ReadonlyMap<number, CommitErasure>,
  { from, whileErasingOrigins }: ErasureOptions = {}
): Promise<number> {
  const { name, sectorBytes } = segment
  const { spans, damage } = await withSegment(disk, name, file => findPartRanges(file, segment, wanted, from))
  const isPlain = (await disk.list()).includes(name)
  const erase = (): Promise<void> =>
    isPlain ? overwrite(disk, name, spans, sectorBytes) : eraseInPack(disk, name, spans)
  if (whileErasingOrigins && spans.some(({ isOrigin }) => isOrigin)) await whileErasingOrigins(erase)
  else if (spans.length > 0) await erase()
  if (damage) throw damageError(disk, name, damage.offset, damage.index, damage.reason)
  return spans.length
}

async function eraseInPack(disk: Disk, segment: string, spans: readonly PartRange[]): Promise<void> {
  const secrets = spans.filter(({ isSecret }) => isSecret)
  if (secrets.length > 0)
    await overwrite(disk, secretsName(segment), await secretRanges(disk, segment, secrets), LARGEST_SECTOR)
  const others = spans.filter(({ isSecret }) => !isSecret)
  if (others.length > 0) await rewritePack(disk, segment, others)
}

/** Erases ranges of a file in steps. Each range is erased atomically. */
async function overwrite(
  disk: Disk,
  name: string,
  ranges: readonly FileRange[],
  sector: number
): Promise<void> {
  await withFile(disk, name, async file => {
    let step: FileRange[] = []
    let bytes = 0
    for (const range of ranges) {
      step.push(range)
      bytes += range.to - range.from + sector
      if (bytes < STEP_BYTES) continue
      await rewriteInPlace(disk, await readErasedSectors(file, name, step, sector))
      step = []
      bytes = 0
    }
    await rewriteInPlace(disk, await readErasedSectors(file, name, step, sector))
  })
}
