// Finds the parts of commits that an order erases, with the same result at any time.
import { recovery } from '../../events/errors.js'
import { parseJson } from '../../events/values.js'
import { setImmediate } from 'node:timers/promises'
import { type Event, DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import {
  type CommitErasure,
  type Erasure,
  isErasedBy,
  isOriginErasure,
  type OriginErasure,
  type PayloadErasure
} from '../../events/erasure.js'
import { type LogReader, CommitsPruned, resourceOf } from '../../events/log/log.js'
import { pagesOf } from '../../events/turns.js'
import { idempotentResponseAt } from '../../events/log/lookups.js'
import type { StoredCommit } from '../../events/stored.js'
import type { Lifecycles } from '../lifecycle.js'
import type { CommitRangeToErase } from './erasure-checkpoint.js'
import type { IdempotentResponses } from '../../projections/idempotent-responses.js'

type Head = Pick<Event, 'Topic' | 'Type' | 'Key' | 'Namespace' | 'Partition'>

/** A log without `history` is read from its beginning. */
export type SearchedLog = Pick<LogReader, 'firstIndex' | 'records'> & Partial<Pick<LogReader, 'history'>>

/** A matching event of a commit, by its number. */
interface CommitMatch {
  readonly number: number
  readonly key: string
  readonly namespace: string
  readonly isEnding: boolean
}

interface CommitMatches {
  readonly index: number
  readonly events: readonly CommitMatch[]
}

const ALL: readonly CommitRangeToErase[] = [{ from: 1, to: Infinity }]

/** Reads the records of commits up to one, yielding between pages. */
async function* recordsIn(
  log: SearchedLog,
  ranges: readonly CommitRangeToErase[],
  upTo: number
): AsyncGenerator<StoredCommit> {
  for (const { from, to } of ranges) {
    const [first, last] = [Math.max(from, log.firstIndex), Math.min(to, upTo)]
    if (first > last) continue
    for await (const records of log.records(first)) {
      for await (const page of pagesOf(records))
        for (const record of page) if (record.index <= last) yield record
      if ((records.at(-1)?.index ?? last) >= last) break
      await setImmediate()
    }
  }
}

/** Costs one look-up in each file of the log for a single resource, otherwise a read of all ranges. */
async function* matchesOf(
  log: SearchedLog,
  erasure: PayloadErasure,
  lifecycles: Lifecycles,
  ranges: readonly CommitRangeToErase[]
): AsyncGenerator<CommitMatches> {
  const { Topic, Partition, Namespace, Key, UpTo } = erasure
  const matchesIn = async (index: number, events: Iterable<Head>): Promise<CommitMatches> => {
    const found: CommitMatch[] = []
    let number = 0
    for await (const page of pagesOf(events))
      for (const event of page) {
        const { Key: key, Namespace: namespace } = event
        if (isErasedBy(event, erasure))
          found.push({ number, key, namespace, isEnding: lifecycles.isEnding(event) })
        number++
      }
    return { index, events: found }
  }
  if (Key !== undefined && log.history) {
    for (const space of new Set([Namespace, '']))
      for await (const { Index, Events } of log.history(
        resourceOf({ Topic, Partition, Namespace: space, Key })
      )) {
        if (Index > UpTo) break
        yield await matchesIn(Index, Events)
      }
    return
  }
  const mark = Buffer.from(`"Topic":${JSON.stringify(Topic)}`)
  for await (const record of recordsIn(log, ranges, UpTo)) {
    // Skips most records without parsing JSON.
    if (!record.bytes.includes(mark)) continue
    const one = await matchesIn(record.index, record.eachEvent())
    if (one.events.length > 0) yield one
  }
}

/** Returns where the newest version of each existing resource is: commit and event, as in `42/0`. */
export async function newestVersions(
  log: SearchedLog,
  erasure: PayloadErasure,
  lifecycles: Lifecycles,
  ranges = ALL
): Promise<ReadonlyMap<string, string>> {
  const newest = new Map<string, { readonly position: string; readonly namespace: string }>()
  for await (const { index, events } of matchesOf(log, erasure, lifecycles, ranges))
    for await (const page of pagesOf(events))
      for (const { number, key, namespace, isEnding } of page)
        if (isEnding) newest.delete(key)
        else newest.set(key, { position: `${index}/${number}`, namespace })
  const positions = new Map<string, string>()
  for await (const page of pagesOf(newest))
    for (const [key, { position, namespace }] of page)
      // A later version may be outside the ranges.
      if (ranges === ALL || position === (await newestPosition(log, erasure, namespace, key)))
        positions.set(key, position)
  return positions
}

const newestPosition = async (
  log: SearchedLog,
  { Topic: topic, Partition: partition, UpTo }: PayloadErasure,
  namespace: string,
  key: string
): Promise<string | undefined> => {
  if (!log.history) throw new TypeError('a search of ranges needs the history of the log')
  for await (const { Index, Events } of log.history(
    { topic, partition, namespace, key },
    { from: UpTo, newestFirst: true }
  )) {
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

/** Returns the parts that an order erases, by commit, oldest first, including erased ones. @param ranges commits to search; all by default */
export async function* partsToEraseBy(
  log: SearchedLog,
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
  for await (const { index, events } of matchesOf(log, erasure, lifecycles, ranges)) {
    const erased: number[] = []
    for await (const page of pagesOf(events))
      for (const { number, key } of page) if (kept.get(key) !== `${index}/${number}`) erased.push(number)
    // The stored response may contain any of them.
    if (erased.length > 0) yield { index, events: erased, answer: true }
  }
}

async function* partsOfAccessor(
  log: SearchedLog,
  { Accessor, UpTo }: OriginErasure,
  ranges: readonly CommitRangeToErase[]
): AsyncGenerator<CommitErasure> {
  const mark = Buffer.from(`"AccessorID":${JSON.stringify(Accessor)}`)
  for await (const record of recordsIn(log, ranges, UpTo))
    if (record.bytes.includes(mark) && record.by.AccessorID === Accessor)
      yield { index: record.index, who: true }
}

/** Returns the stored responses that name the resource in its namespace. Reads all of them. */
export async function* responsesAbout(
  log: LogReader,
  responses: IdempotentResponses,
  erasure: PayloadErasure
): AsyncGenerator<CommitErasure> {
  for (const index of responses.oldest(erasure.UpTo, Infinity)) {
    const text = await textAt(log, index)
    if (text === undefined) continue
    const value = parseJson(text)
    if (names(value === undefined ? text : value, erasure, DEFAULT_TENANCY)) yield { index, answer: true }
  }
}

const textAt = async (log: LogReader, index: number): Promise<string | undefined> =>
  (await idempotentResponseAt(log, index).catch(recovery(CommitsPruned, () => undefined)))?.Text

/** Searches a value for the key within objects of the namespace, `default` unless they name one. */
const names = (value: unknown, erasure: PayloadErasure, outer: Tenancy): boolean => {
  const { Namespace, Partition, Key, Prefix = '' } = erasure
  if (typeof value === 'string') {
    const isKey = Key === undefined ? value.startsWith(Prefix) : value === Key
    // Any response may name a resource without a namespace.
    const isInTenancy = Namespace === '' || (outer.namespace === Namespace && outer.partition === Partition)
    return isKey && isInTenancy
  }
  if (typeof value !== 'object' || value === null) return false
  const { namespace, partition } = outer
  const own = {
    namespace: textOf(value, 'Namespace') ?? namespace,
    partition: textOf(value, 'Partition') ?? partition
  }
  return Object.values(value).some(item => names(item, erasure, own))
}

const textOf = (value: object, field: 'Namespace' | 'Partition'): string | undefined => {
  const text: unknown = Reflect.get(value, field)
  return typeof text === 'string' && text !== '' ? text : undefined
}
