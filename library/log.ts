import type { Commit } from '../events/envelope.js'
import type { LogReader, LogWriter } from '../events/log/log.js'
import { indexAt } from '../events/log/lookups.js'

/** A range of commits. */
export interface CommitRange {
  /** Index of the first. Default: the oldest stored commit. */
  readonly from?: number
  /** Index of the last, or the time of the last. Default: the newest commit at the call. */
  readonly until?: number | Date
}

/** One resource of the log. Namespace and partition are `default` if absent. Resources without a namespace have an empty one. */
export interface ResourceSelector {
  readonly topic: string
  readonly key: string
  readonly namespace?: string
  readonly partition?: string
}

/** The commits of a log, which never change. */
export interface ReadableLog {
  /** Index of the oldest stored commit: 1 before the first pruning. */
  readonly firstIndex: number
  /** Index of the newest commit that is on disk; of a running server, as of the last refresh. */
  readonly lastIndex: number
  /** Yields commits in order; unreadable events are absent. @throws LogDamage; CommitsGone if the first was pruned; RangeError after the newest */
  commits(range?: CommitRange): AsyncIterable<Commit>
  /** Returns the complete commits with an event of a resource, oldest first. @throws LogDamage */
  history(resource: ResourceSelector): AsyncIterable<Commit>
  close(): Promise<void>
}

/** @throws RangeError if the number is no index, or greater than the newest */
export const checkIndex = (index: number, newest: number): number => {
  if (!Number.isSafeInteger(index) || index < 0) throw new RangeError(`${index} is no index of a commit`)
  if (index > newest) throw new RangeError(`there is no commit ${index} yet: the newest is ${newest}`)
  return index
}

/** Reads a log that is open in this process. */
export class LocalLog<Log extends LogReader & Pick<LogWriter, 'close'>> implements ReadableLog {
  constructor(protected readonly log: Log) {}

  get firstIndex(): number {
    return this.log.firstIndex
  }

  get lastIndex(): number {
    return this.log.durableIndex
  }

  async *commits({
    from = this.firstIndex,
    until = this.lastIndex
  }: CommitRange = {}): AsyncGenerator<Commit> {
    const last =
      typeof until === 'number'
        ? checkIndex(until, this.lastIndex)
        : (await indexAt(this.log, until.getTime() + 1)) - 1
    if (from > last) return
    for await (const commit of this.log.read(from)) {
      if (commit.Index > last) return
      yield commit
    }
  }

  history({
    topic,
    key,
    namespace = 'default',
    partition = 'default'
  }: ResourceSelector): AsyncIterable<Commit> {
    return this.log.history({ topic, partition, namespace, key })
  }

  close(): Promise<void> {
    return this.log.close()
  }
}
