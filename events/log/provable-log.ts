// A log with inclusion and consistency proofs.
import type { EventLog } from './log.js'
import type { StoredRecord } from './record.js'
import type { Report } from './report.js'
import type { LogIdentity } from './segments/format.js'
import type { IsDamaged, CheckpointFiles } from './tree/checkpoint-files.js'
import type { LogTree } from './tree/log-tree.js'
import type { RecordHashes } from './record-lookup.js'

/** The tree over the commits of a log, and what was signed of it. */
export interface StoredTree {
  /** Undefined if commits were pruned before their hashes were stored. */
  readonly tree: LogTree | undefined
  /** Undefined for a log that is kept nowhere. */
  readonly checkpoints: CheckpointFiles | undefined
}

export interface ProvableLog extends EventLog {
  readonly identity: LogIdentity

  /** Returns the hash of a stored durable commit or of the last pruned one, 64 hex digits. @throws CommitsPruned */
  hashAt(index: number): Promise<string>

  /**
   * @param isDamaged tells which of the kept checkpoints count for nothing; default: none
   * @throws LogUnusable when what is kept beside the log is not of this log
   */
  openTree(report: Report, isDamaged?: IsDamaged): Promise<StoredTree>

  /**
   * The seed of the key that signs checkpoints, 32 bytes; made and kept, sealed as secrets are, when there is none.
   * @throws LogUnusable when it cannot be opened
   */
  signingKey(): Promise<Buffer>

  /** From now on no commit is served whose hash is another, and none goes before its hash is kept. */
  useHashes(hashes: RecordHashes): void

  /**
   * The record of a durable commit, proved: its checksums, its hash by the tree, and its parts by what it commits to.
   * @throws LogUnusable when it was changed; CommitsGone
   */
  provedRecord(index: number): Promise<StoredRecord>
}
