// The messages between a server and the thread that verifies an archive.
import type { Event } from '../../../events/envelope.js'
import type { ArchiveFacts } from '../../../actors/snapshot/archive-store.js'
import type { ViewOptions } from '../../../projections/read-models.js'
import type { ArchiveLimits } from './read-archive.js'
import type { KnownKeys } from './signer.js'

export interface ArchiveFile {
  readonly file: string
  /** Undefined for an unencrypted file. */
  readonly key: Uint8Array | undefined
  readonly limits: ArchiveLimits
  readonly keys: KnownKeys
}

export interface VerificationTask {
  /** Undefined for a log that is already in `folder`. */
  readonly archive: ArchiveFile | undefined
  /** The folder for the archive's log, if it contains one. */
  readonly folder: string
  /** The `encryption.key` of this server (Base64), which decrypts the secrets of such a log. */
  readonly encryptionKey: string | undefined
  readonly settings: ViewOptions
}

/** Requests a page of the archive's resources. */
export interface VerificationQuery {
  readonly of: 'names' | 'events'
  /** The number of items received so far. */
  readonly from: number
}

export type VerificationMessage =
  | ({ readonly kind: 'proved' } & ArchiveFacts)
  | { readonly kind: 'refused'; readonly reason: string; readonly isTooLarge: boolean }
  | { readonly kind: 'names'; readonly items: readonly string[] }
  | { readonly kind: 'events'; readonly items: readonly Event[] }
