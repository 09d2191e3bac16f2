// The port of the engines that store records in groups.
import type { CommitErasure } from '../erasure.js'
import type { RecordGroup } from './record-group.js'
import type { RecordVersion } from './record-format.js'
import type { PrunableSegment, Outcome, WriteAdmission } from './log.js'
import type { StoredRecord } from './record.js'

/** The newest record of a log: its index (0 when there is none) and its hash. */
export interface Head {
  readonly index: number
  readonly hash: Uint8Array
  /** In which the log continues; undefined for the newest. */
  readonly version?: RecordVersion | undefined
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

/** A store whose records another process writes, or that shows earlier ones. */
export abstract class UnwritableStore {
  abstract readonly refusal: string | undefined

  write(_group: RecordGroup): Promise<void> {
    return this.#refuse()
  }

  prune(): Promise<void> {
    return this.#refuse()
  }

  erase(): Promise<number> {
    return this.#refuse()
  }

  reopen(): Promise<'all'> {
    return this.#refuse()
  }

  async #refuse(): Promise<never> {
    throw new WriteFailure(this.refusal ?? 'another process writes it', 'unchanged')
  }
}

/** Orders the groups of a log among those of other servers. */
export interface GroupOrder {
  /**
   * Orders a group, then stores it here.
   * @param before the head of this log
   * @throws WriteFailure `unchanged` if the group is not ordered; `unknown` if only `store` failed, when other servers have it
   */
  write(group: RecordGroup, before: Head, store: () => Promise<void>): Promise<void>
}

/** Announces the changes of a log to other processes of the same machine. */
export interface LogFeed {
  /** Announces a stored group before it is visible here. The group is reused afterwards. */
  publish(group: RecordGroup): void
  /** Announces the begin or end of an erasure, which invalidates cached commits. */
  erasing(isDone: boolean): void
}

/** The other servers and processes that a log is written with. */
export interface LogLinks {
  readonly order?: GroupOrder | undefined
  readonly feed?: LogFeed | undefined
}

export interface RecordStore {
  /** The newest flushed record. */
  readonly head: Head

  /** The last pruned record; index 0 before the first pruning. */
  readonly start: Head

  /**
   * Stores the records of a group, which continue the head, atomically. Resolves when they are flushed. One call at a time.
   * The caller may reuse the group when the call has settled. After a failure `reopen` must precede the next call.
   * @throws WriteFailure
   */
  write(group: RecordGroup): Promise<void>

  /** Returns verified records from one index to another, at least one and at most a page of bounded size. @throws LogDamage LogUnusable */
  page(from: number, to: number): Promise<readonly StoredRecord[]>

  prunableSegments(): Promise<readonly PrunableSegment[]>

  prune(upTo: number): Promise<void>

  erase(parts: readonly CommitErasure[]): Promise<number>

  /** Returns the next index, from one on, of a commit that may have an event of one of these topics. */
  nextOf?(topics: readonly string[], from: number): Promise<number>

  /** Yields ascending indexes of the commits with an event of this hash (see `history.ts`), and rarely of others. */
  candidates(hash: number, from: number): AsyncIterable<number>

  /** As `candidates`, descending from an index. */
  candidatesBack(hash: number, from: number): AsyncIterable<number>

  /** Makes the store writable after a failed `write`. Nothing above the head is read again. Rejects if it still cannot be written. */
  reopen(): Promise<Exclude<WriteAdmission, 'none'>>

  /** The reason why a read-only store rejects writes. */
  readonly refusal?: string | undefined

  /** For read-only stores: calls `grown` when the head has moved, and `failed` when it cannot be followed. */
  onGrowth?(grown: () => void, failed: (error: unknown) => void): void

  close(): Promise<void>
}
