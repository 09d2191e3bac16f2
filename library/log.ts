// A log that is only read, wherever it is.
import type { Commit } from '../events/envelope.js'

/** Which commits. */
export interface CommitRange {
  /** Index of the first; the oldest that is kept when absent. */
  readonly from?: number
  /** Index of the last, or a time up to which they were made; the newest of now when absent. */
  readonly until?: number | Date
}

/** One thing of the log. Namespace and partition are `default` when absent; things that have no namespace have an empty one. */
export interface ResourceSelector {
  readonly topic: string
  readonly key: string
  readonly namespace?: string
  readonly partition?: string
}

/** The commits of a log. They never change: two reads of the same range give the same. */
export interface ReadableLog {
  /** Index of the oldest commit that is kept: 1 unless some were let go. */
  readonly firstIndex: number
  /** Index of the newest commit that is on disk; of a running server, as of the last look. */
  readonly lastIndex: number
  /**
   * Commits in order. Those that only hold what the reader may not see come without events.
   * @throws LogDamage when one is damaged, CommitsGone when the first is no longer kept, RangeError for an index beyond the newest
   */
  commits(range?: CommitRange): AsyncIterable<Commit>
  /** Commits with an event about a thing, oldest first; each whole. @throws LogDamage */
  history(resource: ResourceSelector): AsyncIterable<Commit>
  close(): Promise<void>
}

/** @throws RangeError when an index is none, or beyond the newest */
export const checkIndex = (index: number, newest: number): number => {
  if (!Number.isSafeInteger(index) || index < 0) throw new RangeError(`${index} is no index of a commit`)
  if (index > newest) throw new RangeError(`there is no commit ${index} yet: the newest is ${newest}`)
  return index
}
