// How much of the disk a folder takes.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../actors/clock.js'

/** A size is given again for so long, so that a scrape does not look at every file each time. */
const KEPT_MS = 10_000
/** What the system calls a block when it tells how many a file has. */
const BLOCK_BYTES = 512

export class FolderSize {
  #measured: { readonly at: number; readonly bytes: Promise<number> } | undefined

  constructor(
    private readonly folder: string,
    private readonly clock: Clock
  ) {}

  /** Bytes on disk of all files in the folder and below it; 0 when there is no such folder. At most 10 s old. */
  bytes(): Promise<number> {
    const now = this.clock.elapsed()
    if (!this.#measured || now - this.#measured.at >= KEPT_MS)
      this.#measured = { at: now, bytes: measure(this.folder) }
    return this.#measured.bytes
  }
}

const measure = async (folder: string): Promise<number> => {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  // A file may be gone before it is looked at.
  const sizes = await Promise.all(
    names.map(name =>
      stat(join(folder, name)).then(
        found => (found.isFile() ? found.blocks * BLOCK_BYTES : 0),
        () => 0
      )
    )
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
