// A log that is only read, wherever it is.
import type { Commit } from '../events/envelope.js'

/** Which commits. */
export interface CommitRange {
  /** Index of the first; the oldest that is kept when absent. */
  readonly from?: number
  /** Index of the last, or a time up to which they were made; the newest of now when absent. */
  readonly until?: number | Date
}

/** One resource of the log. Namespace and partition are `default` if absent. Resources without a namespace have an empty one. */
export interface ResourceSelector {
  readonly topic: string
  readonly key: string
  readonly namespace?: string
  readonly partition?: string
}

/** The commits of a log. They never change: two reads of the same range give the same. */
export interface ReadableLog {
  /** Index of the oldest stored commit: 1 before the first pruning. */
  readonly firstIndex: number
  /** Index of the newest commit that is on disk; of a running server, as of the last look. */
  readonly lastIndex: number
  /**
   * Commits in order. Those that only hold what the reader may not see come without events.
   * @throws LogDamage when one is damaged, CommitsGone when the first is no longer kept, RangeError for an index beyond the newest
   */
  commits(range?: CommitRange): AsyncIterable<Commit>
  /** Returns the complete commits with an event of a resource, oldest first. @throws LogDamage */
  history(resource: ResourceSelector): AsyncIterable<Commit>
  close(): Promise<void>
}

/** @throws RangeError when an index is none, or beyond the newest */
export const checkIndex = (index: number, newest: number): number => {
  if (!Number.isSafeInteger(index) || index < 0) throw new RangeError(`${index} is no index of a commit`)
  if (index > newest) throw new RangeError(`there is no commit ${index} yet: the newest is ${newest}`)
  return index
}
