// What is read of many records.
import type { Commit } from '../envelope.js'
import { parseTime } from '../time.js'
import { CommitsGone, type EventLog } from './log.js'
import type { StoredRecord } from './record.js'
import type { SecretsVault } from './secrets.js'
import type { RecordStore } from './store.js'

/** A page of commits ends with the one that has its event of this number. */
const PAGE_EVENTS = 256

/** Records as commits, many at a time. */
export async function* pagesOf(
  pages: AsyncIterable<readonly StoredRecord[]>,
  vault: SecretsVault
): AsyncGenerator<readonly Commit[]> {
  let page: Commit[] = []
  let events = 0
  for await (const records of pages)
    for (const record of records) {
      const commit = record.commit(vault)
      page.push(commit)
      events += commit.Events.length
      if (events < PAGE_EVENTS) continue
      yield page
      page = []
      events = 0
    }
  if (page.length > 0) yield page
}

/**
 * Index of the first record that is not older than a time. Times never go back from one commit to the next.
 * @param at a record; undefined when it was let go
 * @param time epoch ms
 */
export async function firstNotBefore(
  log: Pick<EventLog, 'firstIndex' | 'durableIndex'>,
  at: (index: number) => Promise<Pick<StoredRecord, 'time'> | undefined>,
  time: number
): Promise<number> {
  let low = log.firstIndex
  let high = log.durableIndex + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const record = await at(middle)
    // It was let go meanwhile.
    if (!record) low = log.firstIndex
    else if ((parseTime(record.time) ?? 0) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** See `EventLog.recordsOf`. @param last index of the newest commit that may be told */
export async function* recordsOf(
  store: RecordStore,
  topics: readonly string[],
  from: number,
  last: number
): AsyncGenerator<readonly StoredRecord[]> {
  for (let next = Math.max(1, from); ;) {
    const { start } = store
    if (next <= start.index) throw new CommitsGone(next, start.index + 1)
    next = (await store.nextOf?.(topics, next)) ?? next
    if (next > last) return
    const page = await store.page(next, last)
    yield page
    next += page.length
  }
}
