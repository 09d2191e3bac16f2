// A file that stays open between reads.
import type { Disk, DiskFile } from '../disk.js'
import { hasCode } from '../../errors.js'

/** It is opened when it is first read. */
export class HeldFile {
  #file: Promise<DiskFile> | undefined
  #readers = 0
  #isDropped = false

  constructor(private readonly disk: Disk, private readonly name: string) {
  }

  /** What `read` makes of the file; undefined when there is none. */
  async use<T>(read: (file: DiskFile) => Promise<T>): Promise<T | undefined> {
    this.#readers++
    try {
      const opening = (this.#file ??= this.disk.open(this.name, 'read'))
      const file = await opening.catch((error: unknown) => {
        this.#file = undefined
        if (hasCode(error, 'ENOENT')) return undefined
        throw error
      })
      return file && (await read(file))
    } finally {
      this.#readers--
      await this.#closeIfUnused()
    }
  }

  /** Closes it as soon as nobody reads it, also when it is read again. */
  drop(): Promise<void> {
    this.#isDropped = true
    return this.#closeIfUnused()
  }

  async #closeIfUnused(): Promise<void> {
    if (!this.#isDropped || this.#readers > 0) return
    const file = this.#file
    this.#file = undefined
    await file?.then(opened => opened.close()).catch(() => {})
  }
}
