import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../actors/clock.js'

/** Cache time, so that frequent scrapes read no files. */
const CACHE_MS = 10_000
/** Unit of `stat.blocks`. */
const BLOCK_BYTES = 512

export class FolderSize {
  #measured: { readonly at: number; readonly bytes: Promise<number> } | undefined

  constructor(
    private readonly folder: string,
    private readonly clock: Clock
  ) {}

  /** Returns the bytes of all files in the folder, at most 10 s old; 0 without a folder. */
  bytes(): Promise<number> {
    const now = this.clock.elapsed()
    if (!this.#measured || now - this.#measured.at >= CACHE_MS)
      this.#measured = { at: now, bytes: measure(this.folder) }
    return this.#measured.bytes
  }
}

const measure = async (folder: string): Promise<number> => {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  // A file may disappear meanwhile.
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
