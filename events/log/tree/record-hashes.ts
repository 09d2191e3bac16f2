// What a log asks of the tree over its records.
import { LogUnusable } from '../log.js'
import type { StoredRecord } from '../record.js'

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
export async function proveRecord(record: StoredRecord, hashes: RecordHashes | undefined): Promise<void> {
  const hash = await hashes?.hashOf(record.index)
  const broken =
    hash && !hash.equals(record.hash)
      ? 'its hash is not the one that the tree has'
      : record.brokenCommitment()
  if (broken !== undefined) throw new LogUnusable(`commit ${record.index} was changed: ${broken}`)
}
