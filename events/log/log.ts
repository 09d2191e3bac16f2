// The append-only log: the only truth. Everything that is read is derived from it.
import type { Commit, Event } from '../envelope.js'
import type { StoredCommit } from '../stored.js'
import type { CommitErasure } from '../erasure.js'

/** `unchanged`: rejected commits are not in the log and never will be. `unknown`: the write failed, and only a recovery shows whether they are. */
export type Outcome = 'unchanged' | 'unknown'

interface LogFailureOptions extends ErrorOptions {
  readonly outcome?: Outcome
  readonly upTo?: number
  readonly hint?: string | undefined
}

/** The log cannot take a commit (disk full, I/O error, closed). */
export class LogFailure extends Error {
  override readonly name = 'LogFailure'
  readonly outcome: Outcome
  /** Index of the newest commit that the outcome is about. What was appended after it is not in the log. */
  readonly upTo: number
  /** The reason, if the caller can remedy it. */
  readonly hint: string | undefined

  constructor(
    message: string,
    { outcome = 'unchanged', upTo = 0, hint, ...options }: LogFailureOptions = {}
  ) {
    super(message, options)
    this.outcome = outcome
    this.upTo = upTo
    this.hint = hint
  }
}

/** What is on disk cannot be used: a newer format, damage, a hash that does not continue, another process's lock. */
export class LogUnusable extends Error {
  override readonly name: string = 'LogUnusable'
}

/** Where and how a file of the log is not what was written. */
export interface DamageLocation {
  readonly file: string
  /** Byte of the file where the damaged piece begins. */
  readonly offset: number
  /** The first unreadable commit, as far as known. */
  readonly index: number
  /** What is wrong, as a clause. */
  readonly reason: string
}

/** Something that the log holds, or should hold, is damaged. It is never served and never overwritten. */
export class LogDamage extends LogUnusable {
  override readonly name = 'LogDamage'

  constructor(
    readonly location: DamageLocation,
    options?: ErrorOptions
  ) {
    const { file, offset, index, reason } = location
    super(
      `${file} is damaged at byte ${offset}, commit ${index}: ${reason}; put the file back from a backup, or give up commit ${index} and all after it with \`annals log repair --to ${index - 1}\``,
      options
    )
  }
}

/** The requested commits were pruned. */
export class CommitsPruned extends Error {
  override readonly name = 'CommitsGone'

  constructor(
    asked: number /** Index of the oldest commit that is kept. */,
    readonly oldest: number
  ) {
    super(`commit ${asked} is no longer kept: the oldest is ${oldest}`)
  }
}

/** The identity of a resource. */
export interface ResourceKey {
  readonly topic: string
  readonly partition: string
  /** Empty for resources without a namespace. */
  readonly namespace: string
  readonly key: string
}

export const resourceOf = ({
  Topic: topic,
  Partition: partition,
  Namespace: namespace,
  Key: key
}: Pick<Event, 'Topic' | 'Partition' | 'Namespace' | 'Key'>): ResourceKey => ({
  topic,
  partition,
  namespace,
  key
})

export const isEventOf = (event: Event, { topic, partition, namespace, key }: ResourceKey): boolean =>
  event.Topic === topic && event.Key === key && event.Namespace === namespace && event.Partition === partition

/** Commits that can only be pruned together. */
export interface PrunableSegment {
  /** Index of the last of them. */
  readonly last: number
  readonly bytes: number
  /** Whether it is kept in compressed blocks. */
  readonly isPacked?: true
}

/** What a log can take: everything; on a full disk only deletions; nothing. */
export type WriteAdmission = 'all' | 'deletions' | 'none'

export interface AppendOptions {
  /** The commits make room in what the log tells (deletions, expiry): on a full disk they are taken from a reserve. */
  readonly frees?: boolean
}

/** One flush, by which everything that it holds became durable. */
export interface Flush {
  readonly commits: number
  /** Index of the first of them. */
  readonly first: number
  /** Hashes of their records, 32 bytes each, one behind the other. To be copied: they are there until the listener returns. */
  readonly hashes: Uint8Array
  /** How long the disk took, in seconds. */
  readonly seconds: number
}

/** What is to be erased in one of the copies of what was cut off a log. */
export interface TruncatedCopyErasure {
  /** Of a commit; undefined for nothing. */
  readonly erasureOf: (record: StoredCommit) => CommitErasure | undefined
  /** Removes files that are not completely readable, whose content is unknown. */
  readonly removesUnreadable: boolean
}

/**
 * Appends and makes durable. One writer; commits are appended in index order, without gaps.
 */
export interface LogWriter {
  /** Index of the newest commit that is flushed to disk; 0 when the log is empty. A crash cannot take it back. */
  readonly durableIndex: number

  /**
   * Appends commits whose indexes continue the last append, all or none, and resolves when they are flushed to disk.
   * May be called again before an earlier call resolved; calls become durable in order. Calls that share a flush may be given
   * the same promise.
   * After a failure every later append fails too, until `recover` has succeeded.
   * @throws LogFailure
   */
  append(commits: readonly Commit[], options?: AppendOptions): Promise<void>

  /**
   * Tries whether the log can be written again after a failure; appends then continue at `durableIndex + 1`, and nothing that was
   * refused is in the log.
   * @returns what it can take now: `all`, or `deletions` while the disk is full
   * @throws LogFailure
   */
  recover(): Promise<Exclude<WriteAdmission, 'none'>>

  /** As `LogReader.read`, and then every later commit once it is durable, until `signal` aborts. */
  tail(from: number, signal: AbortSignal): AsyncIterable<Commit>

  /** Calls `listener` with the new `durableIndex` each time it grows. Returns how to stop. */
  onDurable(listener: (durableIndex: number) => void): () => void

  /** Calls `listener` with each flush that was done. Returns how to stop. */
  onFlush(listener: (flush: Flush) => void): () => void

  /** Flushes what was appended and releases the files. */
  close(): Promise<void>
}

export interface RecordRange {
  /** Index of the last record. Default: the newest durable one at the end of the iteration. */
  readonly to?: number
  /** Skips the files of the log in which no event is of one of these topics. */
  readonly topics?: readonly string[]
}

export interface HistoryRange {
  /** Index to begin with. Default: the oldest commit, or the newest durable one if `newestFirst`. */
  readonly from?: number
  /** Descending indexes. Each file of the log is searched only when its commits are requested. */
  readonly newestFirst?: boolean
  /** Number of commits that will be read, if known, to limit the prefetch of `newestFirst`. */
  readonly limit?: number
}

/** Reads durable commits. */
export interface LogReader {
  /** Index of the oldest stored commit; 1 before the first pruning. */
  readonly firstIndex: number

  /** See `LogWriter.durableIndex`. */
  readonly durableIndex: number

  /** Durable commits with an index of at least `from`, up to the newest durable one at the end of the iteration. @throws LogDamage CommitsGone */
  read(from: number): AsyncIterable<Commit>

  /** As `read`, many commits at a time: without the cost of waiting for each of them. */
  pages(from: number): AsyncIterable<readonly Commit[]>

  /** As `pages`, each commit as it is stored: for verifying, copying, and sending on what is not looked into. */
  records(from: number, range?: RecordRange): AsyncIterable<readonly StoredCommit[]>

  /** The commit of one of the `records`, secrets included, which is proved to be what was written. @throws LogUnusable */
  commitOf(record: StoredCommit): Promise<Commit>

  /** Durable commits that hold an event of a resource, oldest first by default. @throws LogDamage LogUnusable */
  history(resource: ResourceKey, range?: HistoryRange): AsyncIterable<Commit>
}

/** Prunes and erases. */
export interface LogMaintenance {
  /** Returns the prunable segments, the oldest first, without the active segment. */
  prunableSegments(): Promise<readonly PrunableSegment[]>

  /**
   * Deletes the segments whose commits all have an index of at most `upTo`. Durable when it resolves. The next call completes
   * an interrupted one. A base snapshot must cover the deleted commits.
   */
  prune(upTo: number): Promise<void>

  /**
   * Erases parts of durable commits from all files; durable when it resolves. Heads and hashes remain. Repeating the call
   * completes an interrupted one. Skips erased parts and pruned commits.
   * @returns how many parts were erased
   * @throws LogUnusable when another process writes the log; what the file system reports
   */
  erase(parts: readonly CommitErasure[]): Promise<number>

  /**
   * Erases in the copies of what was cut off the log, where it keeps any; durable when it resolves. Costs reading the copies.
   * @param erasureOf gets the index of the first commit that was cut off
   * @returns paths of files that were removed, since not all of them can be read
   */
  eraseInTruncatedCopies?(erasureOf: (first: number) => TruncatedCopyErasure): Promise<readonly string[]>

  /** Grows before and after parts are erased: what was read under an earlier one may hold them. Even while none are being erased. */
  readonly erasures: number
}

/** A complete log, for the composition of a server. Its users depend on the narrowest interface. */
export interface EventLog extends LogWriter, LogReader, LogMaintenance {}
