// The append-only log: the only truth. Everything that is read is derived from it.
import type { Commit } from '../envelope.js'

/** The log cannot take a commit (disk full, I/O error, closed). Nothing of the refused append will ever be read. */
export class LogFailure extends Error {
  override readonly name = 'LogFailure'
}

/** What is on disk cannot be used: a newer format, damage, a chain that does not hold, another process's lock. */
export class LogUnusable extends Error {
  override readonly name = 'LogUnusable'
}

/** One flush, by which everything that it holds became durable. */
export interface Flush {
  readonly commits: number
  /** How long the disk took, in seconds. */
  readonly seconds: number
}

/** What every engine promises. One writer; commits are appended in index order, without gaps. */
export interface EventLog {
  /** Index of the newest commit that is flushed to disk; 0 when the log is empty. A crash cannot take it back. */
  readonly durableIndex: number

  /**
   * Appends commits whose indexes continue the last append, all or none, and resolves when they are flushed to disk.
   * May be called again before an earlier call resolved; calls become durable in order. Calls that share a flush may be given
   * the same promise.
   * After a failure every later append fails too, until `recover` has succeeded.
   * @throws LogFailure
   */
  append(commits: readonly Commit[]): Promise<void>

  /** Tries whether the log can be written again after a failure; appends then continue at `durableIndex + 1`. @throws LogFailure */
  recover(): Promise<void>

  /** Durable commits with an index of at least `from`, up to the newest durable one at the end of the iteration. */
  read(from: number): AsyncIterable<Commit>

  /** As `read`, many commits at a time: without the cost of waiting for each of them. */
  pages(from: number): AsyncIterable<readonly Commit[]>

  /** As `read`, and then every later commit once it is durable, until `signal` aborts. */
  tail(from: number, signal: AbortSignal): AsyncIterable<Commit>

  /** Durable commits that hold an event of this topic, partition, namespace and key, oldest first. */
  history(topic: string, partition: string, namespace: string, key: string): AsyncIterable<Commit>

  /** Calls `listener` with the new `durableIndex` each time it grows. Returns how to stop. */
  onDurable(listener: (durableIndex: number) => void): () => void

  /** Calls `listener` with each flush that was done. Returns how to stop. */
  onFlush(listener: (flush: Flush) => void): () => void

  /** Flushes what was appended and releases the files. */
  close(): Promise<void>
}
