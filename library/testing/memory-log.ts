import { isDeepStrictEqual } from 'node:util'
import type { Commit, Event, Origin } from '../../events/envelope.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { formatTime } from '../../events/time.js'
import type { AnyEvent } from '../events.js'
import { LocalLog } from '../log.js'

type Usual = 'Namespace' | 'Partition' | 'FilterKeys'
type WithUsual<E extends AnyEvent> = E extends AnyEvent ? Omit<E, Usual> & Partial<Pick<E, Usual>> : never

/** An event. Default namespace and partition: `default`. Default of `FilterKeys`: none. */
export type EventInput = WithUsual<AnyEvent>

const By: Origin = { AccessorID: '', Address: '', RequestID: '', Command: 'Given' }

const completed = (event: EventInput): Event => ({
  Namespace: 'default',
  Partition: 'default',
  FilterKeys: null,
  ...event
})

/** A log in memory, which a server of a test may write. */
export class MemoryLog extends LocalLog<MemoryEventLog> {
  get events(): MemoryEventLog {
    return this.log
  }

  /** Resolves with the first commit from `from` on, present or future, that has such an event. */
  async commitWith(event: Partial<Event>, from = this.firstIndex): Promise<Commit> {
    const ended = new AbortController()
    try {
      for await (const commit of this.log.tail(from, ended.signal))
        if (commit.Events.some(candidate => isLike(candidate, event))) return commit
    } finally {
      ended.abort()
    }
    throw new Error('the log was closed before such an event was appended')
  }
}

const isLike = (event: Event, pattern: Partial<Event>): boolean =>
  Object.entries(pattern).every(([field, value]) => isDeepStrictEqual(Reflect.get(event, field), value))

/** Creates a log in memory with one commit for each event. @param at time of the commits, epoch ms */
export const memoryLog = async (events: readonly EventInput[], at: number): Promise<MemoryLog> => {
  const log = new MemoryEventLog()
  const Time = formatTime(at)
  await log.append(events.map((event, i) => ({ Index: i + 1, Time, By, Events: [completed(event)] })))
  return new MemoryLog(log)
}
