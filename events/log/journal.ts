// A file of fixed size that a batch is written to before anything else: one wait for the disk, where a transaction of LMDB
// takes two.
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  write,
  writeSync
} from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { batchBytes, BLOCK_BYTES, readBatch, writeBatch, type JournalBatch } from './journal-batch.js'

/** Bytes of each half. While one is being written, what the other holds is stored. */
export const HALF_BYTES = 1024 * 1024
const FILE = 'journal'
const MODE = 0o600
/** Where a write through such a descriptor is on disk when it returns; elsewhere it is flushed after it. */
const FLUSHES_ITSELF = platform() === 'linux'

const writeAt = promisify(write)
const flush = promisify(fdatasync)

interface Half {
  readonly start: number
  /** Where the next batch goes, from `start`. */
  used: number
  /** Index of the newest record in it. */
  last: number
}

/**
 * Batches lie one behind the other from the start of a half. A half is written anew from its start once all that it holds
 * is stored elsewhere, so what is behind its newest batch is older, and told by its indexes. All blocks are allocated from
 * the beginning: a full disk cannot make a write fail, and no flush has to wait for the file system's own journal.
 */
export class Journal {
  readonly #fd: number
  readonly #halves: readonly [Half, Half]
  #active: Half
  #buffer = Buffer.alloc(0)

  /**
   * Opens the journal of a log for writing, and makes it when there is none. What it holds has to be read before: see
   * `readJournal`.
   * @param last index of the newest record that it holds: nothing is written over before that is stored
   * @throws what the file system reports, such as ENOSPC
   */
  constructor(folder: string, last: number) {
    const flags = constants.O_RDWR | constants.O_CREAT | (FLUSHES_ITSELF ? constants.O_DSYNC : 0)
    this.#fd = openSync(join(folder, FILE), flags, MODE)
    try {
      this.#allocate(folder)
    } catch (error) {
      closeSync(this.#fd)
      throw error
    }
    this.#halves = [
      { start: 0, used: HALF_BYTES, last },
      { start: HALF_BYTES, used: HALF_BYTES, last }
    ]
    this.#active = this.#halves[0]
  }

  /** Whether a batch can be written, now that the records up to `stored` are elsewhere. */
  hasRoom(batch: JournalBatch, stored: number): boolean {
    const bytes = batchBytes(batch)
    if (this.#active.used + bytes <= HALF_BYTES) return true
    const other = this.#other
    return bytes <= HALF_BYTES && other.last <= stored
  }

  /**
   * Resolves when a batch that there is room for is on disk; one call at a time. After a failure `clear` comes first.
   * @throws what the file system reports
   */
  async write(batch: JournalBatch): Promise<void> {
    const bytes = batchBytes(batch)
    if (this.#active.used + bytes > HALF_BYTES) {
      this.#active = this.#other
      this.#active.used = 0
    }
    const half = this.#active
    if (this.#buffer.length < bytes) this.#buffer = Buffer.alloc(bytes)
    writeBatch(this.#buffer, batch)
    await this.#put(bytes, half.start + half.used)
    half.used += bytes
    half.last = batch.at(-1)?.index ?? half.last
  }

  /** Makes sure that nothing of a batch whose write failed is found again. */
  async clear(): Promise<void> {
    this.#buffer = Buffer.alloc(Math.max(this.#buffer.length, BLOCK_BYTES))
    const half = this.#active
    if (half.used < HALF_BYTES) await this.#put(BLOCK_BYTES, half.start + half.used)
  }

  close(): void {
    closeSync(this.#fd)
  }

  get #other(): Half {
    return this.#active === this.#halves[0] ? this.#halves[1] : this.#halves[0]
  }

  async #put(bytes: number, position: number): Promise<void> {
    for (let at = 0; at < bytes;) {
      const { bytesWritten } = await writeAt(this.#fd, this.#buffer, at, bytes - at, position + at)
      at += bytesWritten
    }
    if (!FLUSHES_ITSELF) await flush(this.#fd)
  }

  /** Writes zeros where the file is not yet; what it holds stays. */
  #allocate(folder: string): void {
    const { size } = fstatSync(this.#fd)
    if (size >= 2 * HALF_BYTES) return
    const missing = Buffer.alloc(2 * HALF_BYTES - size)
    for (let at = 0; at < missing.length;)
      at += writeSync(this.#fd, missing, at, missing.length - at, size + at)
    fsyncSync(this.#fd)
    if (platform() !== 'win32') flushFolder(folder)
  }
}

/** A new file is only found again after the machine fails if its folder is on disk as well. */
function flushFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * The whole batches in the journal of a log; none when it has no journal. They are on disk, also when another process is
 * writing it.
 */
export function readJournal(folder: string): JournalBatch[] {
  let fd: number
  try {
    fd = openSync(join(folder, FILE), constants.O_RDONLY)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  try {
    const bytes = Buffer.alloc(2 * HALF_BYTES)
    const length = readSync(fd, bytes, 0, bytes.length, 0)
    fdatasyncSync(fd)
    return [...batchesIn(bytes.subarray(0, HALF_BYTES)), ...batchesIn(bytes.subarray(HALF_BYTES, length))]
  } finally {
    closeSync(fd)
  }
}

function* batchesIn(half: Buffer): Generator<JournalBatch> {
  let newest = 0
  for (let at = 0; at < half.length;) {
    const batch = readBatch(half.subarray(at))
    const last = batch?.at(-1)?.index ?? 0
    if (!batch || last <= newest) return
    yield batch
    newest = last
    at += batchBytes(batch)
  }
}
