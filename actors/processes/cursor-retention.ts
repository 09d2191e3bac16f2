// Which commits stay because the readers of cursors have not taken them yet.
import type { Cursor } from '../../events/cursor.js'
import type { PrunableSegment } from '../../events/log/log.js'

/** A cursor that keeps commits from going, and how many bytes of the log. */
interface RetainingCursor {
  readonly name: string
  readonly index: number
  readonly bytes: number
}

/** What cursors keep of the commits that may go. */
export interface CursorRetention {
  /** The last commit that goes; 0 for none. */
  readonly upTo: number
  /** Those that keep any, also those that will not any longer. */
  readonly holding: readonly RetainingCursor[]
}

/**
 * The commits up to an index may go, in whole pieces, but for those that a cursor has not passed. A cursor that would keep more than
 * `most` bytes keeps none. Cost: cursors times pieces that may go.
 * @param pieces oldest first
 * @param index of the last commit that may go
 */
export const retainedByCursors = (
  pieces: readonly PrunableSegment[],
  index: number,
  cursors: readonly Pick<Cursor, 'Name' | 'Index'>[],
  most: number
): CursorRetention => {
  const going = pieces.filter(({ last }) => last <= index)
  const holding = cursors.flatMap(({ Name, Index }) => {
    const bytes = going.reduce((sum, piece) => (piece.last > Index ? sum + piece.bytes : sum), 0)
    return bytes > 0 ? [{ name: Name, index: Index, bytes }] : []
  })
  const passed = Math.min(index, ...holding.filter(({ bytes }) => bytes <= most).map(held => held.index))
  return { upTo: going.findLast(({ last }) => last <= passed)?.last ?? 0, holding }
}
