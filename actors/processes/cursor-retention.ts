// Commits that are retained for the readers of cursors.
import type { Cursor } from '../../events/cursor.js'
import type { PrunableSegment } from '../../events/log/log.js'

/** A cursor that retains commits, and how many bytes of the log. */
interface RetainingCursor {
  readonly name: string
  readonly index: number
  readonly bytes: number
}

/** The effect of cursors on the prunable commits. */
export interface CursorRetention {
  /** The last commit to prune; 0 for none. */
  readonly upTo: number
  /** Cursors that retain commits, including those above the limit. */
  readonly retaining: readonly RetainingCursor[]
}

/**
 * Determines the prunable segments up to an index that all cursors have passed. A cursor that would retain
 * more than `maxBytes` retains nothing. Cost: cursors times prunable segments.
 * @param segments oldest first
 * @param index of the last prunable commit
 */
export const retainedByCursors = (
  segments: readonly PrunableSegment[],
  index: number,
  cursors: readonly Pick<Cursor, 'Name' | 'Index'>[],
  maxBytes: number
): CursorRetention => {
  const prunable = segments.filter(({ last }) => last <= index)
  const retaining = cursors.flatMap(({ Name, Index }) => {
    const bytes = prunable.reduce((sum, segment) => (segment.last > Index ? sum + segment.bytes : sum), 0)
    return bytes > 0 ? [{ name: Name, index: Index, bytes }] : []
  })
  const passed = Math.min(
    index,
    ...retaining.filter(({ bytes }) => bytes <= maxBytes).map(cursor => cursor.index)
  )
  return { upTo: prunable.findLast(({ last }) => last <= passed)?.last ?? 0, retaining }
}
