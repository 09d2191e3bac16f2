import type { EventLog } from './log.js'
import type { StoredRecord } from './record.js'
import type { Report } from './report.js'
import type { LogIdentity } from './segments/format.js'
import type { IsDamaged, CheckpointFiles } from './tree/checkpoint-files.js'
import type { EntryBundles } from './tree/entry-bundles.js'
import type { LogTree } from './tree/log-tree.js'
import type { RecordHashes } from './record-lookup.js'

/** The tree over the commits of a log and its signed checkpoints. */
export interface StoredTree {
  /** Undefined if commits were pruned before their hashes were stored. */
  readonly tree: LogTree | undefined
  /** Undefined for a log in memory. */
  readonly checkpoints: CheckpointFiles | undefined
  /** Entry bundles of the tree; undefined without a tree. */
  readonly bundles: EntryBundles | undefined
}

export interface ProvableLog extends EventLog {
  readonly identity: LogIdentity

  /** Returns the hash of a stored durable commit or of the last pruned one, 64 hex digits. @throws CommitsPruned */
  hashAt(index: number): Promise<string>

  /** @param isDamaged selects stored checkpoints to ignore; default: none. @throws LogUnusable if the stored tree is not of this log */
  openTree(report: Report, isDamaged?: IsDamaged): Promise<StoredTree>

  /** Returns the 32-byte seed of the checkpoint key. Creates a missing key, encrypted like secrets. @throws LogUnusable if undecryptable */
  signingKey(): Promise<Buffer>

  /** Verifies the hash of every returned commit from now on, and prunes commits only after their hashes are stored. */
  useHashes(hashes: RecordHashes): void

  /** Returns a record after verifying its checksums, hash and commitments. @throws LogUnusable if it was changed; CommitsPruned */
  provedRecord(index: number): Promise<StoredRecord>
}
