// Where a restore has its snapshot from: what the actors need of the archive, and the edge provides.
import type { Readable } from 'node:stream'
import type { Event } from '../../events/envelope.js'
import type { Erasure } from '../../events/erasure.js'

/** A proved archive, read in pieces. Each reading begins anew. */
export interface VerifiedArchive {
  /** Index of its last commit. */
  readonly index: number
  /** Whether it holds the whole log, which stands ready to take the place of this server's. */
  readonly hasLog: boolean
  /** The orders to erase that it knows. */
  readonly erasures: readonly Erasure[]
  /** Everything that exists in it, as `Lifecycles.identityOf` names it, some at a time. */
  names(): AsyncIterable<readonly string[]>
  /**
   * The last events of everything that exists in it, in the making order; a piece is of one topic, and
   * bounded.
   */
  events(): AsyncIterable<readonly Event[]>
  close(): Promise<void>
}

export interface StoredArchive {
  readonly archive: VerifiedArchive
  /** SHA-256 of the archive's bytes, hex. */
  readonly digest: string
}

/** Keeps the one archive that is being restored, through a crash as well. */
export interface ArchiveStore {
  /**
   * Takes an archive in, proves it, and keeps it on disk.
   * @param pin the public key that it must be signed with, as C2SP signed-note writes it; undefined: any
   * @throws Refusal `invalid` when it is none, or signed otherwise, and nothing is kept
   */
  take(bytes: Readable, signal: AbortSignal, pin?: string): Promise<StoredArchive>
  /**
   * Has the archive that was taken kept wherever its restore may have to go on. Absent where that is here alone.
   * @throws Refusal `unavailable` when that cannot be done now
   */
  spread?(digest: string, signal: AbortSignal): Promise<void>
  /** The archive that is kept, proved again; undefined when it is not there as it was, and never will be. */
  reopen(digest: string, signal: AbortSignal): Promise<VerifiedArchive | undefined>
  /** Forgets what is kept. */
  clear(): Promise<void>
}
