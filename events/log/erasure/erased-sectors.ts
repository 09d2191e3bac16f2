import { ERASED_BYTE } from '../record-format.js'
import { readBytes, type ReadableFile } from '../disk-port.js'
import type { Rewrite } from './journal.js'

export interface FileRange {
  readonly from: number
  readonly to: number
}

/** Returns sectors with some ranges erased. @param ranges ascending, without overlap. @param sector bytes that the disk writes atomically */
export async function readErasedSectors(
  file: Pick<ReadableFile, 'read'>,
  name: string,
  ranges: readonly FileRange[],
  sector: number
): Promise<readonly Rewrite[]> {
  const rewrites: Rewrite[] = []
  for (const piece of inSectors(ranges, sector)) {
    const bytes = await readBytes(file, piece.to - piece.from, piece.from)
    for (const { from, to } of piece.ranges) bytes.fill(ERASED_BYTE, from - piece.from, to - piece.from)
    rewrites.push({ name, offset: piece.from, bytes })
  }
  return rewrites
}

interface Piece {
  from: number
  to: number
  readonly ranges: FileRange[]
}

/** Joins ranges in the same or adjacent sectors. */
function inSectors(ranges: readonly FileRange[], sector: number): readonly Piece[] {
  const pieces: Piece[] = []
  for (const range of ranges) {
    const from = Math.floor(range.from / sector) * sector
    const to = Math.ceil(range.to / sector) * sector
    const last = pieces.at(-1)
    if (last && from <= last.to) {
      last.to = Math.max(last.to, to)
      last.ranges.push(range)
    } else pieces.push({ from, to, ranges: [range] })
  }
  return pieces
}
