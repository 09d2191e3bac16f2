import type { Commit } from '../envelope.js'
import { orUndefined } from '../errors.js'
import type { StoredCommit } from '../stored.js'
import { CommitsPruned, LogUnusable } from './log.js'
import { StoredRecord } from './record.js'
import type { SecretsVault } from './secrets.js'
import type { RecordStore } from './store.js'

export interface RecordHashes {
  /** The hash that the record of a durable commit had when it was written; undefined when that is not known yet. @throws TreeDamage */
  hashOf(index: number): Promise<Buffer | undefined>

  /** Resolves when the hashes of the commits up to an index are kept without their records. Rejects when they cannot be. */
  keep(upTo: number): Promise<void>
}

/**
 * Proves that a record, whose checksums hold, is what was written: its hash by the tree, and its parts by what it commits to.
 * @param hashes undefined where there is no tree: then the parts alone are proved
 * @throws LogUnusable when it was changed
 */
async function proveRecord(record: StoredRecord, hashes: RecordHashes | undefined): Promise<void> {
  const hash = await hashes?.hashOf(record.index)
  const broken =
    hash && !hash.equals(record.hash)
      ? 'its hash is not the one that the tree has'
      : record.brokenCommitment()
  if (broken !== undefined) throw new LogUnusable(`commit ${record.index} was changed: ${broken}`)
}

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

  /** See `LogReader.commitOf`. @throws LogUnusable when it was changed */
  async commitOf({ bytes, index }: StoredCommit, vault: SecretsVault): Promise<Commit> {
    const record = StoredRecord.at(bytes)
    if (!record) throw new LogUnusable(`commit ${index} is no record`)
    await proveRecord(record, this.hashes)
    return record.commit(vault)
  }
}

/** Resolves to undefined if the record was pruned. */
export const recordIfRetained = (reading: Promise<StoredRecord>): Promise<StoredRecord | undefined> =>
  orUndefined(reading, error => error instanceof CommitsPruned)
