import type { Readable } from 'node:stream'
import type { Event } from '../../events/envelope.js'
import type { Erasure } from '../../events/erasure.js'

export interface ArchiveFacts {
  readonly index: number
  /** True when it holds the whole log, ready to replace this server's. */
  readonly hasLog: boolean
  readonly erasures: readonly Erasure[]
}

/** A verified archive, read in pieces. Each iteration begins at the start. */
export interface VerifiedArchive extends ArchiveFacts {
  /** The resources in the archive, as `Lifecycles.identityOf` names them, in pages. */
  names(): AsyncIterable<readonly string[]>
  /** The last events of all resources in creation order; each piece is bounded and of one topic. */
  events(): AsyncIterable<readonly Event[]>
  close(): Promise<void>
}

export interface StoredArchive {
  readonly archive: VerifiedArchive
  /** SHA-256 of the archive's bytes, hex. */
  readonly digest: string
}

/** Stores the archive of the running restore, also across a crash. */
export interface ArchiveStore {
  /**
   * Reads, verifies and stores an archive.
   * @param pin the required public key of its signature, as C2SP signed-note writes it; undefined for any
   * @throws Refusal `invalid` for an invalid archive or signature, without storing it
   */
  take(bytes: Readable, signal: AbortSignal, pin?: string): Promise<StoredArchive>
  /** Copies the archive to servers that may continue its restore. @throws Refusal `unavailable` */
  spread?(digest: string, signal: AbortSignal): Promise<void>
  /** Returns the stored archive, verified again; undefined when it is lost or damaged. */
  reopen(digest: string, signal: AbortSignal): Promise<VerifiedArchive | undefined>
  clear(): Promise<void>
}
