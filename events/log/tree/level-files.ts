// The hashes of a tree on disk: a file for each level of tiles, the hashes one behind the other, so that a tile is a piece of it.
import { readAll, writeAll, type Access, type Disk, type DiskFile } from '../disk-port.js'
import { HASH_BYTES } from './tiles.js'
import type { HashRows } from './tree.js'
import { hasCode } from '../../errors.js'

export class LevelFiles implements HashRows {
  readonly #files = new Map<number, Promise<DiskFile | undefined>>()

  /** @param access `read`, or `write` for the one that adds to them; the folder must be there for that */
  constructor(
    private readonly disk: Disk,
    private readonly access: Access
  ) {}

  async row(level: number, from: number, count: number): Promise<Buffer> {
    const row = Buffer.alloc(count * HASH_BYTES)
    const file = await this.#file(level)
    const read = file && count > 0 ? await readAll(file, row, from * HASH_BYTES) : 0
    return row.subarray(0, read - (read % HASH_BYTES))
  }

  /** Puts hashes at their place; durable after `flush`. */
  async write(level: number, from: number, hashes: Uint8Array): Promise<void> {
    const file = await this.#file(level)
    if (file) await writeAll(file, hashes, from * HASH_BYTES)
  }

  /** Makes durable what was written to these levels. */
  async flush(levels: readonly number[]): Promise<void> {
    for (const level of levels) await (await this.#file(level))?.flush()
  }

  async close(): Promise<void> {
    const files = await Promise.allSettled(this.#files.values())
    for (const file of files) if (file.status === 'fulfilled') await file.value?.close()
  }

  /** The file of a level; undefined when it is to be read, and is not there. */
  #file(level: number): Promise<DiskFile | undefined> {
    let file = this.#files.get(level)
    if (!file) {
      file = this.#open(level)
      this.#files.set(level, file)
      // What is not there is looked for again when it is next needed.
      const forget = (): void => void this.#files.delete(level)
      file.then(opened => opened ?? forget(), forget)
    }
    return file
  }

  async #open(level: number): Promise<DiskFile | undefined> {
    const file = await this.disk.open(`level-${level}`, this.access).catch((error: unknown) => {
      if (this.access === 'read' && hasCode(error, 'ENOENT')) return undefined
      throw error
    })
    if (this.access === 'write') await this.disk.flushNames()
    return file
  }
}
