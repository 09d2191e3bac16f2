// What an archive tells of itself, in the words of the reference.
import type { ArchiveMeta } from './format.js'

/** The server that an archive is written by. */
export interface Writer {
  /** UUID of its node. */
  readonly id: string
  /** HOST:PORT. */
  readonly address: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** The text of `meta.json`. @param Size bytes of `state.bin` */
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
