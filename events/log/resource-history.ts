// The commits that are about one thing.
import type { Commit } from '../envelope.js'
import { prefetch } from './prefetch.js'
import { historyHash } from './history.js'
import { isEventOf, type ResourceKey } from './log.js'
import type { StoredRecord } from './record.js'
import type { SecretsVault } from './secrets.js'
import type { RecordStore } from './store.js'

/** Commits that are read at a time. */
const READS_AHEAD = 8

/** Where histories are read from. */
export interface HistorySource {
  readonly store: Pick<RecordStore, 'candidates' | 'candidatesBack'>
  readonly vault: SecretsVault
  /** A record that was proved to be what was written; undefined when it was let go. @throws LogUnusable */
  readonly read: (index: number) => Promise<StoredRecord | undefined>
}

const hashOf = ({ topic, partition, namespace, key }: ResourceKey): number =>
  historyHash(topic, partition, namespace, key)

/** The commit of a record, if it is about a thing. @throws LogUnusable */
const commitAbout = (
  record: StoredRecord,
  resource: ResourceKey,
  vault: SecretsVault
): Commit | undefined => {
  const commit = record.commit(vault)
  return commit.Events.some(event => isEventOf(event, resource)) ? commit : undefined
}

/** See `EventLog.history`. @param newest index of the newest commit that may be told now */
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

/** See `EventLog.newestFirst`. */
export async function* newestFirst(
  { store, vault, read }: HistorySource,
  resource: ResourceKey,
  from: number,
  wanted: number
): AsyncGenerator<Commit> {
  const indexes = store.candidatesBack(hashOf(resource), from)
  for await (const record of prefetch(indexes, READS_AHEAD, read, wanted)) {
    if (!record) return
    const commit = commitAbout(record, resource, vault)
    if (commit) yield commit
  }
}
