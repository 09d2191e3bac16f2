// Which parts of which commits an order erases: found in the log, the same way at any time.
import { setImmediate } from 'node:timers/promises'
import type { Event } from '../../events/envelope.js'
import {
  isOriginErasure,
  type Erasure,
  type PayloadErasure,
  type OriginErasure
} from '../../events/erasure.js'
import type { CommitErasure } from '../../events/commit-erasure.js'
import type { EventLog } from '../../events/log/log.js'
import type { StoredCommit } from '../../events/stored.js'
import type { Lifecycles } from '../lifecycles.js'
import type { CommitRangeToErase } from './erasure-checkpoint.js'

type Head = Pick<Event, 'Topic' | 'Type' | 'Key' | 'Namespace' | 'Partition'>

/** Whether an event is about what an order erases, at whatever index. */
export const isErasedBy = (
  event: Head,
  { Topic, Namespace, Partition, Key, Prefix }: PayloadErasure
): boolean =>
  event.Topic === Topic &&
  event.Partition === Partition &&
  // Things of no namespace are found by whatever namespace was named.
  (event.Namespace === Namespace || event.Namespace === '') &&
  (Key === undefined ? event.Key.startsWith(Prefix ?? '') : event.Key === Key)

/** Events of one commit that an order is about, by their numbers. */
interface Found {
  readonly index: number
  readonly events: readonly {
    readonly number: number
    readonly key: string
    readonly namespace: string
    readonly isEnding: boolean
  }[]
}

const ALL: readonly CommitRangeToErase[] = [{ from: 1, to: Infinity }]

/** The records of some commits up to one, while others have their turn. */
async function* recordsIn(
  log: EventLog,
  ranges: readonly CommitRangeToErase[],
  upTo: number
): AsyncGenerator<StoredCommit> {
  for (const { from, to } of ranges) {
    const [first, last] = [Math.max(from, log.firstIndex), Math.min(to, upTo)]
    if (first > last) continue
    for await (const records of log.records(first)) {
      for (const record of records) if (record.index <= last) yield record
      if ((records.at(-1)?.index ?? last) >= last) break
      await setImmediate()
    }
  }
}

/** Costs one look into each file of the log for a single thing, else all of the log that the order may be about. */
async function* findings(
  log: EventLog,
  erasure: PayloadErasure,
  lifecycles: Lifecycles,
  ranges: readonly CommitRangeToErase[]
): AsyncGenerator<Found> {
  const { Topic, Partition, Namespace, Key, UpTo } = erasure
  const found = (index: number, events: readonly Head[]): Found => ({
    index,
    events: events.flatMap((event, number) =>
      isErasedBy(event, erasure)
        ? [{ number, key: event.Key, namespace: event.Namespace, isEnding: lifecycles.isEnding(event) }]
        : []
    )
  })
  if (Key !== undefined) {
    for (const space of new Set([Namespace, '']))
      for await (const { Index, Events } of log.history(Topic, Partition, space, Key)) {
        if (Index > UpTo) break
        yield found(Index, Events)
      }
    return
  }
  const mark = Buffer.from(`"Topic":${JSON.stringify(Topic)}`)
  for await (const record of recordsIn(log, ranges, UpTo)) {
    // Most are passed over without parsing JSON.
    if (!record.bytes.includes(mark)) continue
    const one = found(record.index, record.events())
    if (one.events.length > 0) yield one
  }
}

/** Of each thing that has not ended, where its newest version is: index of the commit and number of the event, as in `42/0`. */
export async function newestVersions(
  log: EventLog,
  erasure: PayloadErasure,
  lifecycles: Lifecycles,
  ranges = ALL
): Promise<ReadonlyMap<string, string>> {
  const newest = new Map<string, { readonly place: string; readonly namespace: string }>()
  for await (const { index, events } of findings(log, erasure, lifecycles, ranges))
    for (const { number, key, namespace, isEnding } of events)
      if (isEnding) newest.delete(key)
      else newest.set(key, { place: `${index}/${number}`, namespace })
  const places = new Map<string, string>()
  for (const [key, { place, namespace }] of newest)
    // A later version may lie in what was not read.
    if (ranges === ALL || place === (await newestPlace(log, erasure, namespace, key))) places.set(key, place)
  return places
}

const newestPlace = async (
  log: EventLog,
  { Topic: topic, Partition: partition, UpTo }: PayloadErasure,
  namespace: string,
  key: string
): Promise<string | undefined> => {
  for await (const { Index, Events } of log.newestFirst({ topic, partition, namespace, key }, UpTo)) {
    const number = Events.findLastIndex(
      event =>
        event.Topic === topic &&
        event.Partition === partition &&
        event.Namespace === namespace &&
        event.Key === key
    )
    return `${Index}/${number}`
  }
  return undefined
}

/**
 * The parts that an order erases, by commit, the oldest first. What is erased already is among them.
 * @param ranges the commits that are looked at, where the order is about more than one thing; default: all
 */
export async function* partsToEraseBy(
  log: EventLog,
  erasure: Erasure,
  lifecycles: Lifecycles,
  ranges = ALL
): AsyncGenerator<CommitErasure> {
  if (isOriginErasure(erasure)) {
    yield* partsOfAccessor(log, erasure, ranges)
    return
  }
  const kept =
    erasure.Scope === 'history'
      ? await newestVersions(log, erasure, lifecycles, ranges)
      : new Map<string, string>()
  for await (const { index, events } of findings(log, erasure, lifecycles, ranges)) {
    const gone = events.flatMap(({ number, key }) => (kept.get(key) === `${index}/${number}` ? [] : [number]))
    // What was answered may tell of any of them.
    if (gone.length > 0) yield { index, events: gone, answer: true }
  }
}

async function* partsOfAccessor(
  log: EventLog,
  { Accessor, UpTo }: OriginErasure,
  ranges: readonly CommitRangeToErase[]
): AsyncGenerator<CommitErasure> {
  const mark = Buffer.from(`"AccessorID":${JSON.stringify(Accessor)}`)
  for await (const record of recordsIn(log, ranges, UpTo))
    if (record.bytes.includes(mark) && record.by.AccessorID === Accessor)
      yield { index: record.index, who: true }
}
