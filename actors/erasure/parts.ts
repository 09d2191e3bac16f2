// Which parts of which commits an order erases: found in the log, the same way at any time.
import { setImmediate } from 'node:timers/promises'
import type { Event } from '../../events/envelope.js'
import { isOfWho, type Erasure, type PayloadErasure } from '../../events/erasure.js'
import type { Erasing } from '../../events/erasing.js'
import type { EventLog } from '../../events/log/log.js'
import type { Lifecycles } from '../lifecycles.js'

type Head = Pick<Event, 'Topic' | 'Type' | 'Key' | 'Namespace' | 'Partition'>

/** Whether an event is about what an order erases, at whatever index. */
export const isAbout = (event: Head, { Topic, Namespace, Partition, Key, Prefix }: PayloadErasure): boolean =>
  event.Topic === Topic &&
  event.Partition === Partition &&
  // Things of no namespace are found by whatever namespace was named.
  (event.Namespace === Namespace || event.Namespace === '') &&
  (Key === undefined ? event.Key.startsWith(Prefix ?? '') : event.Key === Key)

/** Events of one commit that an order is about, by their numbers. */
interface Found {
  readonly index: number
  readonly events: readonly { readonly number: number; readonly key: string; readonly isEnding: boolean }[]
}

/** Costs one look into each file of the log for a single thing, else all of the log that the order may be about. */
async function* findings(
  log: EventLog,
  erasure: PayloadErasure,
  lifecycles: Lifecycles
): AsyncGenerator<Found> {
  const { Topic, Partition, Namespace, Key, UpTo } = erasure
  const found = (index: number, events: readonly Head[]): Found => ({
    index,
    events: events.flatMap((event, number) =>
      isAbout(event, erasure) ? [{ number, key: event.Key, isEnding: lifecycles.isEnding(event) }] : []
    )
  })
  if (Key !== undefined) {
    for (const space of [Namespace, ''])
      for await (const { Index, Events } of log.history(Topic, Partition, space, Key)) {
        if (Index > UpTo) break
        yield found(Index, Events)
      }
    return
  }
  const mark = Buffer.from(`"Topic":${JSON.stringify(Topic)}`)
  for await (const records of log.records(log.firstIndex)) {
    for (const record of records) {
      if (record.index > UpTo) return
      // Most are passed over without parsing JSON.
      if (!record.bytes.includes(mark)) continue
      const one = found(record.index, record.events())
      if (one.events.length > 0) yield one
    }
    await setImmediate()
  }
}

/** Of each thing that has not ended, where its newest version is: index of the commit and number of the event, as in `42/0`. */
export async function standing(
  log: EventLog,
  erasure: PayloadErasure,
  lifecycles: Lifecycles
): Promise<ReadonlyMap<string, string>> {
  const newest = new Map<string, string>()
  for await (const { index, events } of findings(log, erasure, lifecycles))
    for (const { number, key, isEnding } of events)
      if (isEnding) newest.delete(key)
      else newest.set(key, `${index}/${number}`)
  return newest
}

/** The parts that an order erases, by commit, the oldest first. What is erased already is among them. */
export async function* partsOf(
  log: EventLog,
  erasure: Erasure,
  lifecycles: Lifecycles
): AsyncGenerator<Erasing> {
  if (isOfWho(erasure)) {
    yield* partsOfAccessor(log, erasure.Accessor, erasure.UpTo)
    return
  }
  const kept =
    erasure.Scope === 'history' ? await standing(log, erasure, lifecycles) : new Map<string, string>()
  for await (const { index, events } of findings(log, erasure, lifecycles)) {
    const gone = events.flatMap(({ number, key }) => (kept.get(key) === `${index}/${number}` ? [] : [number]))
    // What was answered may tell of any of them.
    if (gone.length > 0) yield { index, events: gone, answer: true }
  }
}

async function* partsOfAccessor(log: EventLog, accessor: string, upTo: number): AsyncGenerator<Erasing> {
  const mark = Buffer.from(`"AccessorID":${JSON.stringify(accessor)}`)
  for await (const records of log.records(log.firstIndex)) {
    for (const record of records) {
      if (record.index > upTo) return
      if (record.bytes.includes(mark) && record.by.AccessorID === accessor)
        yield { index: record.index, who: true }
    }
    await setImmediate()
  }
}
