// The form of an archive: a gzipped tar of exactly the files that the reference's has, since its tools refuse any other.

/** What the server was when the archive was written. */
export const META = 'meta.json'
/** The log: `StateHead`, then for each commit a `CommitHead` and its events, all as JSON, a line each. */
export const STATE = 'state.bin'
/** SHA-256 of both, as `sha256sum` prints it. */
export const SUMS = 'SHA256SUMS'
/**
 * The signed note (c2sp.org/signed-note) over `SHA256SUMS`: a record of its extended tar header (POSIX pax), which the tools of the
 * reference skip. Absent where a log is kept in memory.
 */
export const SIGNATURE_RECORD = 'ANNALS.signature'
/** The file that held the note until version 0.1. */
export const OLD_SIGNATURE = 'SHA256SUMS.sig'
/** Parts of the log in archives of version 0.1: commits as JSON, a line each. Their `meta.json` comes last. */
export const FIRST_FORM_PART = /^commits\/\d{8}\.ndjson$/

/** Of `state.bin`; 1 is the form of version 0.1. */
export const STATE_FORMAT = 2

export interface StateHead {
  readonly Annals: typeof STATE_FORMAT
}

/** The metadata of a Raft snapshot, in which the reference's tools look for index and size. */
export interface ArchiveMeta {
  readonly Version: 1
  readonly ID: string
  /** Index of the last commit. */
  readonly Index: number
  readonly Term: 1
  readonly Peers: null
  readonly Configuration: {
    readonly Servers: readonly { readonly Suffrage: 0; readonly ID: string; readonly Address: string }[]
  }
  readonly ConfigurationIndex: 1
  /** Bytes of `state.bin`. */
  readonly Size: number
  /** The key that has signed it, as C2SP signed-note writes it. */
  readonly Signer?: string
}

/** The bytes are no archive, or not the ones that were written. */
export class BadArchive extends Error {
  override readonly name: string = 'BadArchive'
}

/** The archive is larger than a limit allows. */
export class ArchiveTooLarge extends BadArchive {
  override readonly name = 'ArchiveTooLarge'
}
