// Room in LMDB's file that is allocated before LMDB writes there, so that a full disk is met here and not inside LMDB.
import { closeSync, fdatasync, fstatSync, openSync, write } from 'node:fs'
import { promisify } from 'node:util'

/** The most and the least that is allocated at a time, in bytes, where there is room for so much; in between a quarter of the file. */
const MOST = 4 * 1024 * 1024
const LEAST = 256 * 1024
const ZEROS = Buffer.alloc(LEAST)

const writeAt = promisify(write)
const flush = promisify(fdatasync)

/**
 * Keeps the file of an LMDB environment longer than what LMDB uses of it. lmdb 3.5.6 overruns a buffer of its own when a write
 * fails outright (`sprintf` into `malloc(100)` in `mdb_page_flush`), which may end the process. A write into blocks that are
 * allocated already does not fail for want of room. Zeros are only added while no transaction is being written.
 */
export class FileReserve {
  readonly #fd: number
  readonly #pageSize: number
  readonly #lastPage: () => number
  /** Pages of the file that LMDB does not use yet, less what was taken since they were counted. */
  #spare = 0
  #size: number

  /** @param lastPage the number of the last page that LMDB uses */
  constructor(file: string, pageSize: number, lastPage: () => number) {
    this.#fd = openSync(file, 'r+')
    this.#pageSize = pageSize
    this.#lastPage = lastPage
    this.#size = fstatSync(this.#fd).size
  }

  /** Takes pages that are allocated already for the next transaction; false, and nothing taken, when there are not so many. */
  takeSpare(pages: number): boolean {
    if (this.#spare < pages) this.#count()
    if (this.#spare < pages) return false
    this.#spare -= pages
    return true
  }

  /** Makes sure that the next transaction finds `pages` allocated. @throws what the file system reports, such as ENOSPC */
  async take(pages: number): Promise<void> {
    if (this.takeSpare(pages)) return
    await this.#allocate(pages)
    this.#spare -= pages
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Where LMDB has lengthened the file itself, what lies there is its own: zeros are added only behind it. */
  #count(): void {
    this.#size = Math.max(this.#size, fstatSync(this.#fd).size)
    this.#spare = Math.floor(this.#size / this.#pageSize) - this.#lastPage() - 1
  }

  /** Adds zeros; that there is no room for a whole step is no fault as long as there is for the pages. */
  async #allocate(pages: number): Promise<void> {
    const step = Math.min(Math.max(this.#size / 4, LEAST), MOST)
    const end = this.#size + (pages - this.#spare) * this.#pageSize + Math.ceil(step)
    let failure: unknown
    try {
      while (this.#size < end) {
        const most = Math.min(ZEROS.length, end - this.#size)
        const { bytesWritten } = await writeAt(this.#fd, ZEROS, 0, most, this.#size)
        this.#size += bytesWritten
      }
      await flush(this.#fd)
    } catch (error) {
      failure = error
    }
    this.#count()
    if (this.#spare < pages) throw failure
  }
}
