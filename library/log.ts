import type { Commit, Event } from '../events/envelope.js'
import type { LogReader, LogWriter } from '../events/log/log.js'
import { indexAt } from '../events/log/lookups.js'
import type { EventOfTopic, TopicName } from './events.js'

/** A range of commits. */
export interface CommitRange {
  /** Index of the first. Default: the oldest stored commit. */
  readonly from?: number
  /** Index of the last, or the time of the last. Default: the newest commit at the call. */
  readonly until?: number | Date
}

/** A range of the commits with an event of some topics. */
export interface TopicRange<Topic extends TopicName> extends CommitRange {
  readonly topics: readonly Topic[]
}

/** A commit with its events of some topics only. */
export interface TopicCommit<Topic extends TopicName> extends Commit {
  readonly Events: readonly EventOfTopic<Topic>[]
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
  /** Yields the commits with an event of some topics in order. @throws as without topics */
  commits<Topic extends TopicName>(range: TopicRange<Topic>): AsyncIterable<TopicCommit<Topic>>
  /** Yields commits in order; unreadable events are absent. @throws LogDamage; CommitsGone if the first was pruned; RangeError after the newest */
  commits(range?: CommitRange): AsyncIterable<Commit>
  /** Returns the complete commits with an event of a resource, oldest first. @throws LogDamage */
  history(resource: ResourceSelector): AsyncIterable<Commit>
  close(): Promise<void>
}

/** A range of which topics may be selected. */
export interface SelectedRange extends CommitRange {
  readonly topics?: readonly string[]
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

  commits<Topic extends TopicName>(range: TopicRange<Topic>): AsyncIterable<TopicCommit<Topic>>
  commits(range?: CommitRange): AsyncIterable<Commit>
  commits(range: SelectedRange = {}): AsyncIterable<Commit> {
    return this.#commits(range)
  }

  async *#commits({
    from = this.firstIndex,
    until = this.lastIndex,
    topics
  }: SelectedRange): AsyncGenerator<Commit> {
    const last =
      typeof until === 'number'
        ? checkIndex(until, this.lastIndex)
        : (await indexAt(this.log, until.getTime() + 1)) - 1
    if (from > last) return
    if (topics) return yield* this.#ofTopics(from, last, topics)
    for await (const commit of this.log.read(from)) {
      if (commit.Index > last) return
      yield commit
    }
  }

  async *#ofTopics(from: number, to: number, topics: readonly string[]): AsyncGenerator<Commit> {
    const isOf = ({ Topic }: Pick<Event, 'Topic'>): boolean => topics.includes(Topic)
    for await (const records of this.log.records(from, { to, topics }))
      for (const record of records) {
        if (record.index > to) return
        if (!record.events().some(isOf)) continue
        const commit = await this.log.commitOf(record)
        yield { ...commit, Events: commit.Events.filter(isOf) }
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
