// The seam below the log: what keeps records, whole groups at a time. Engines are the files of a folder, memory, and others to come.
import type { CommitErasure } from '../erasure.js'
import type { RecordGroup } from './record-group.js'
import type { PrunableSegment, Outcome, WriteAdmission } from './log.js'
import type { StoredRecord } from './record.js'

/** The newest record of a log: its index (0 when there is none) and its hash. */
export interface Head {
  readonly index: number
  readonly hash: Uint8Array
}

/** A group was not stored. */
export class WriteFailure extends Error {
  override readonly name = 'WriteFailure'

  constructor(
    message: string,
    readonly outcome: Outcome,
    options?: ErrorOptions
  ) {
    super(message, options)
  }
}

/** There is no room for a group; nothing of it was written. The message is suitable for the caller. */
export class StoreFull extends WriteFailure {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 'unchanged', options)
  }
}

export interface RecordStore {
  /** The newest record that is flushed. */
  readonly head: Head

  /** The last pruned record; index 0 before the first pruning. */
  readonly start: Head

  /**
   * Stores the records of a group, which continue the head, all or none. Resolves when they are flushed; one call at a time. The group
   * belongs to the caller again when it has settled. After a failure `reopen` comes first.
   * @throws WriteFailure
   */
  write(group: RecordGroup): Promise<void>

  /**
   * Stores a group locally that is already durable elsewhere. Absent if `write` does the same.
   * @throws WriteFailure
   */
  receive?(group: RecordGroup): Promise<void>

  /**
   * Records from one index to another, as many as fit a page of bounded size, at least one. Their checksums hold.
   * @throws LogDamage LogUnusable
   */
  page(from: number, to: number): Promise<readonly StoredRecord[]>

  /** See `EventLog.prunableSegments`. */
  prunableSegments(): Promise<readonly PrunableSegment[]>

  /** See `EventLog.prune`. */
  prune(upTo: number): Promise<void>

  /** See `EventLog.erase`. */
  erase(parts: readonly CommitErasure[]): Promise<number>

  /** The first index from one on that is not known to lie among commits without an event of one of these topics. */
  nextOf?(topics: readonly string[], from: number): Promise<number>

  /** Ascending indexes, from one on, of the commits that hold an event with this hash (see `history.ts`), and perhaps, rarely, others. */
  candidates(hash: number, from: number): AsyncIterable<number>

  /** As `candidates`, descending from an index. */
  candidatesBack(hash: number, from: number): AsyncIterable<number>

  /** Brings the store back into use after `write` failed, so that nothing above the head is ever read. Rejects when it cannot be written. */
  reopen(): Promise<Exclude<WriteAdmission, 'none'>>

  /** Why nothing can be stored; of a store that another process writes. */
  readonly refusal?: string

  /** Of such a store: calls `grown` when the head has moved, and `failed` when it cannot be followed. */
  onGrowth?(grown: () => void, failed: (error: unknown) => void): void

  close(): Promise<void>
}
