// What the server and the thread that proves an archive say to each other.
import type { Event } from '../../../events/envelope.js'
import type { Erasure } from '../../../events/erasure.js'
import type { ViewOptions } from '../../../projections/read-models.js'
import type { ArchiveLimits } from './read-archive.js'
import type { KnownKeys } from './signer.js'

/** An archive that is in a file. */
export interface ArchiveFile {
  /** Path. */
  readonly file: string
  /** Of the file; undefined when that is not ciphered. */
  readonly key: Uint8Array | undefined
  readonly limits: ArchiveLimits
  readonly keys: KnownKeys
}

export interface VerificationTask {
  /** Undefined for the log that is in `folder` already. */
  readonly archive: ArchiveFile | undefined
  /** Where the log of the archive is unpacked, if it holds one. */
  readonly folder: string
  /** The `encryption.key` of this server, Base64: opens the secrets of such a log. */
  readonly encryptionKey: string | undefined
  readonly settings: ViewOptions
}

/** Asks for some of what exists in the archive. */
export interface VerificationQuery {
  readonly of: 'names' | 'events'
  /** How many of them were taken already. */
  readonly from: number
}

export type VerificationMessage =
  | {
      readonly kind: 'proved'
      readonly index: number
      readonly hasLog: boolean
      readonly erasures: readonly Erasure[]
    }
  | { readonly kind: 'refused'; readonly reason: string; readonly isTooLarge: boolean }
  | { readonly kind: 'names'; readonly items: readonly string[] }
  | { readonly kind: 'events'; readonly items: readonly Event[] }
