// A log in memory that begins with given events, for tests.
import { isDeepStrictEqual } from 'node:util'
import type { Commit, Event, Origin } from '../../events/envelope.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { formatTime } from '../../events/time.js'
import type { AnyEvent } from '../events.js'
import { checkIndex, type CommitRange, type ReadableLog, type ResourceSelector } from '../log.js'

type Usual = 'Namespace' | 'Partition' | 'FilterKeys'
type WithUsual<E extends AnyEvent> = E extends AnyEvent ? Omit<E, Usual> & Partial<Pick<E, Usual>> : never

/** An event; its namespace and partition are `default` when absent, and it has no further keys. */
export type EventInput = WithUsual<AnyEvent>

const By: Origin = { AccessorID: '', Address: '', RequestID: '', Command: 'Given' }

const wholeOf = (event: EventInput): Event => ({
  Namespace: 'default',
  Partition: 'default',
  FilterKeys: null,
  ...event
})

/** A log in memory, which a server of a test may write. */
export class MemoryLog implements ReadableLog {
  constructor(readonly events: MemoryEventLog) {}

  get firstIndex(): number {
    return this.events.firstIndex
  }

  get lastIndex(): number {
    return this.events.durableIndex
  }

  async *commits({
    from = this.firstIndex,
    until = this.lastIndex
  }: CommitRange = {}): AsyncGenerator<Commit> {
    const last =
      typeof until === 'number'
        ? checkIndex(until, this.lastIndex)
        : (await this.events.indexAt(until.getTime() + 1)) - 1
    for await (const commit of this.events.read(from)) {
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
    return this.events.history(topic, partition, namespace, key)
  }

  /** Resolves with the first commit from `from` on with an event like that: what is there, or comes. */
  async commitWith(event: Partial<Event>, from = this.firstIndex): Promise<Commit> {
    const ended = new AbortController()
    try {
      for await (const commit of this.events.tail(from, ended.signal))
        if (commit.Events.some(each => isLike(each, event))) return commit
    } finally {
      ended.abort()
    }
    throw new Error('the log was closed before such an event came')
  }

  close(): Promise<void> {
    return this.events.close()
  }
}

const isLike = (event: Event, wanted: Partial<Event>): boolean =>
  Object.entries(wanted).every(([field, value]) => isDeepStrictEqual(Reflect.get(event, field), value))

/**
 * A log in memory that holds these events, each in a commit of its own.
 * @param at when they were made, epoch ms
 */
export const memoryLog = async (events: readonly EventInput[], at: number): Promise<MemoryLog> => {
  const log = new MemoryEventLog()
  const Time = formatTime(at)
  await log.append(events.map((event, i) => ({ Index: i + 1, Time, By, Events: [wholeOf(event)] })))
  return new MemoryLog(log)
}
