// Entries of archives.
import type { Pack } from 'tar-stream'

const MODE = 0o600
const BLOCK = 512
/** What ends a tar. */
const END = 2 * BLOCK

/** Adds a short text. */
export const textEntry = (archive: Pack, name: string, content: string): Promise<void> =>
  new Promise((resolve, reject) =>
    // An entry that is broken off, as when its reader goes away, also tells it by an event, which must be heard.
    archive
      .entry({ name, mode: MODE }, content, error => (error ? reject(error) : resolve()))
      .on('error', reject)
  )

/** The entry of a file whose bytes are to follow. */
export const fileEntry = (archive: Pack, name: string, size: number): ReturnType<Pack['entry']> =>
  archive.entry({ name, mode: MODE, size })

/** How large a tar of files of such sizes is, with names that fit a plain header. */
export const tarSize = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + BLOCK + Math.ceil(size / BLOCK) * BLOCK, END)
