// How much of a log is kept, and what may go.
import type { EventLog } from '../../../events/log/log.js'
import { parseTime } from '../../../events/time.js'

/** A commit goes as soon as one of them lets it; 0 stands for no limit. */
export interface RetentionLimits {
  /** Milliseconds. */
  readonly age: number
  readonly bytes: number
  readonly commits: number
}

export const isLimited = ({ age, bytes, commits }: RetentionLimits): boolean =>
  age > 0 || bytes > 0 || commits > 0

const timeOf = async (log: Pick<EventLog, 'read'>, index: number): Promise<number> => {
  for await (const { Time } of log.read(index)) return parseTime(Time) ?? Infinity
  return Infinity
}

/**
 * The commits that may go, in whole pieces of the log, the oldest first.
 * @param now epoch milliseconds
 * @returns index of the last of them; 0 for none
 */
export const dispensable = async (
  log: Pick<EventLog, 'durableIndex' | 'pieces' | 'read'>,
  { age, bytes, commits }: RetentionLimits,
  now: number
): Promise<number> => {
  const pieces = await log.pieces()
  let left = pieces.reduce((sum, piece) => sum + piece.bytes, 0)
  let index = 0
  for (const piece of pieces) {
    left -= piece.bytes
    const isBeyond =
      (commits > 0 && piece.last <= log.durableIndex - commits) ||
      (bytes > 0 && left >= bytes) ||
      (age > 0 && (await timeOf(log, piece.last)) < now - age)
    if (!isBeyond) break
    index = piece.last
  }
  return index
}
