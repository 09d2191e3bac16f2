// The archive format: a gzipped tar with exactly the files of the reference, whose tools reject others.

export const META = 'meta.json'
/** The log: `StateHead`, then for each commit a `CommitHead` and its events, all as JSON, a line each. */
export const STATE = 'state.bin'
/** SHA-256 of both in the format of `sha256sum`. */
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

/** The format of `state.bin`; 1 is that of version 0.1. */
export const STATE_FORMAT = 2

export interface StateHead {
  readonly Annals: typeof STATE_FORMAT
}

/** The metadata of a Raft snapshot, in which the reference's tools look for index and size. */
interface ArchiveMeta {
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
  /** The signing key in the format of C2SP signed-note. */
  readonly Signer?: string
}

/** The bytes are no archive, or were modified. */
export class BadArchive extends Error {
  override readonly name: string = 'BadArchive'
}

/** The archive is larger than a limit allows. */
export class ArchiveTooLarge extends BadArchive {
  override readonly name = 'ArchiveTooLarge'
}

/** The server that writes an archive. */
export interface Writer {
  /** UUID of its node. */
  readonly id: string
  /** HOST:PORT. */
  readonly address: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Returns the text of `meta.json`. @param Size bytes of `state.bin` */
export const metaOf = (Index: number, Size: number, by: Writer, signer?: string): string => {
  const meta: ArchiveMeta = {
    Version: 1,
    ID: `1-${Index}-${Math.floor(by.at)}`,
    Index,
    Term: 1,
    Peers: null,
    Configuration: { Servers: [{ Suffrage: 0, ID: by.id, Address: by.address }] },
    ConfigurationIndex: 1,
    Size,
    ...(signer === undefined ? {} : { Signer: signer })
  }
  return `${JSON.stringify(meta)}\n`
}
