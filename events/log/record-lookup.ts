// Single records of a log, as they are and proved to be what was written.
import type { Commit } from '../envelope.js'
import type { StoredCommit } from '../stored.js'
import { parseTime } from '../time.js'
import { CommitsPruned, LogUnusable } from './log.js'
import { StoredRecord } from './record.js'
import type { SecretsVault } from './secrets.js'
import type { RecordStore } from './store.js'
import { proveRecord, type RecordHashes } from './tree/record-hashes.js'

export class RecordLookup {
  /** By which records are proved. */
  hashes: RecordHashes | undefined

  constructor(private readonly store: Pick<RecordStore, 'page' | 'start'>) {}

  /** Its checksums hold. @throws LogUnusable CommitsGone */
  async at(index: number): Promise<StoredRecord> {
    const { start } = this.store
    if (index <= start.index) throw new CommitsPruned(index, start.index + 1)
    const [record] = await this.store.page(index, index)
    if (!record) throw new LogUnusable(`commit ${index} is missing`)
    return record
  }

  /** See `proveRecord`. @throws LogUnusable when it was changed; CommitsGone */
  async proved(index: number): Promise<StoredRecord> {
    const record = await this.at(index)
    await proveRecord(record, this.hashes)
    return record
  }

  /** See `EventLog.commitOf`. @throws LogUnusable when it was changed */
  async commitOf({ bytes, index }: StoredCommit, vault: SecretsVault): Promise<Commit> {
    const record = StoredRecord.at(bytes)
    if (!record) throw new LogUnusable(`commit ${index} is no record`)
    await proveRecord(record, this.hashes)
    return record.commit(vault)
  }

  /** See `EventLog.timeAt`. @throws LogUnusable CommitsGone */
  async timeAt(index: number): Promise<number> {
    return parseTime((await this.at(index)).time) ?? 0
  }
}

/** Resolves to undefined if the record was pruned. */
export async function recordIfRetained(reading: Promise<StoredRecord>): Promise<StoredRecord | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof CommitsPruned) return undefined
    throw error
  }
}
