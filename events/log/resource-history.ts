import type { Commit } from '../envelope.js'
import { historyHash } from './history.js'
import { isEventOf, type ResourceKey } from './log.js'
import type { StoredRecord } from './record.js'
import type { SecretsVault } from './secrets.js'
import type { RecordStore } from './store.js'

/**
 * Yields the result of `load` for each item, in order. The number of concurrent loads doubles up to `most`, so that a reader
 * of one result causes one load. Errors of unread results are ignored.
 * @param limit number of results that will be read: so many are loaded at once, and none beyond
 */
export async function* prefetch<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  most: number,
  load: (item: T) => Promise<R>,
  limit = Infinity
): AsyncGenerator<R> {
  const pending: Promise<R>[] = []
  let count = limit === Infinity ? 1 : Math.min(most, Math.max(limit, 1))
  let taken = 0
  for await (const item of items) {
    const loading = load(item)
    loading.catch(() => {})
    pending.push(loading)
    while (pending.length >= count) {
      const first = pending.shift()
      if (first) yield await first
      count = Math.max(1, Math.min(2 * count, most, limit - ++taken))
    }
  }
  for (const result of pending) yield await result
}

/** Commits that are read at a time. */
const READS_AHEAD = 8

/** Where histories are read from. */
export interface HistorySource {
  readonly store: Pick<RecordStore, 'candidates' | 'candidatesBack'>
  readonly vault: SecretsVault
  /** Returns a verified record, or undefined if it was pruned. @throws LogUnusable */
  readonly read: (index: number) => Promise<StoredRecord | undefined>
}

const hashOf = ({ topic, partition, namespace, key }: ResourceKey): number =>
  historyHash(topic, partition, namespace, key)

/** Returns the commit of a record if it has an event of the resource. @throws LogUnusable */
const commitAbout = (
  record: StoredRecord,
  resource: ResourceKey,
  vault: SecretsVault
): Commit | undefined => {
  const commit = record.commit(vault)
  return commit.Events.some(event => isEventOf(event, resource)) ? commit : undefined
}

/** See `LogReader.history`. @param newest returns the durable index */
export async function* oldestFirst(
  { store, vault, read }: HistorySource,
  resource: ResourceKey,
  from: number,
  newest: () => number
): AsyncGenerator<Commit> {
  for await (const index of store.candidates(hashOf(resource), from)) {
    if (index > newest()) return
    const record = await read(index)
    const commit = record && commitAbout(record, resource, vault)
    if (commit) yield commit
  }
}

/** See `LogReader.history` with `newestFirst`. */
export async function* newestFirst(
  { store, vault, read }: HistorySource,
  resource: ResourceKey,
  from: number,
  limit: number
): AsyncGenerator<Commit> {
  const indexes = store.candidatesBack(hashOf(resource), from)
  for await (const record of prefetch(indexes, READS_AHEAD, read, limit)) {
    if (!record) return
    const commit = commitAbout(record, resource, vault)
    if (commit) yield commit
  }
}
