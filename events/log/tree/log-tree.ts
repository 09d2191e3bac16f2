// The tree over the commits of a log. Its hashes come from flushes, or from the records if a flush was missed.
import { setImmediate } from 'node:timers/promises'
import { LogUnusable } from '../log.js'
import type { StoredLog } from '../stored-log.js'
import type { LevelFiles } from './level-files.js'
import type { RecordHashes } from '../record-lookup.js'
import { countAt, HASH_BYTES } from './tiles.js'
import type { MerkleTree } from './tree.js'

/** Hashes of some seconds. Further ones are read from the records. */
const MOST = 65_536
const FIRST_SIZE = 1024

class PendingHashes {
  #bytes = Buffer.alloc(FIRST_SIZE * HASH_BYTES)
  #first = 1
  #count = 0

  /** Index of the commit with the first hash; Infinity without any. */
  get first(): number {
    return this.#count === 0 ? Infinity : this.#first
  }

  /** Adds the consecutive hashes of a flush. */
  add(first: number, hashes: Uint8Array): void {
    const count = hashes.length / HASH_BYTES
    if (this.#first + this.#count !== first || this.#count + count > MOST) {
      this.#first = first
      this.#count = 0
    }
    const end = this.#count * HASH_BYTES
    if (end + hashes.length > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(end + hashes.length, 2 * this.#bytes.length))
      this.#bytes.copy(grown, 0, 0, end)
      this.#bytes = grown
    }
    this.#bytes.set(hashes, end)
    this.#count += count
  }

  /** Drops earlier hashes. @returns consecutive hashes from a commit on, valid until the next `add`; none if the commit's hash is missing */
  take(from: number, most: number): Uint8Array {
    const before = Math.min(Math.max(from - this.#first, 0), this.#count)
    if (before > 0) {
      this.#bytes.copyWithin(0, before * HASH_BYTES, this.#count * HASH_BYTES)
      this.#first += before
      this.#count -= before
    }
    return this.#bytes.subarray(0, from === this.first ? Math.min(most, this.#count) * HASH_BYTES : 0)
  }
}

/** Hashes per turn of the event loop. */
const SLICE = 512
/** Pending hashes that cause a write to the files. */
const MOST_UNKEPT = 65_536

export type TreeLog = Pick<StoredLog, 'durableIndex' | 'firstIndex' | 'hashAt' | 'records' | 'onFlush'>

/** Commit N is leaf N - 1. */
export class LogTree implements Pick<RecordHashes, 'hashOf'> {
  readonly #files: LevelFiles | undefined
  readonly #isWriter: boolean
  readonly #arrived = new PendingHashes()
  readonly #stopListening: () => void
  #kept: number
  #keeping: Promise<number>
  #feeding: Promise<void> | undefined
  #isClosed = false

  /** @param tree verified tree of commits of the log. @param kept the files of the tree; without files all hashes stay in memory */
  constructor(
    private readonly log: TreeLog,
    readonly tree: MerkleTree,
    kept?: { readonly files: LevelFiles; readonly isWriter: boolean }
  ) {
    this.#files = kept?.files
    this.#isWriter = kept?.isWriter ?? false
    this.#kept = tree.size
    this.#keeping = Promise.resolve(tree.size)
    this.#stopListening = log.onFlush(({ first, hashes }) => this.#arrived.add(first, hashes))
  }

  get size(): number {
    return this.tree.size
  }

  /** Number of durable commits that must be read from the records. */
  get behind(): number {
    return Math.max(Math.min(this.#arrived.first - 1, this.log.durableIndex) - this.size, 0)
  }

  async hashOf(index: number): Promise<Buffer | undefined> {
    if (index > this.size && this.behind === 0) await this.catchUp()
    return index > this.size ? undefined : this.tree.leafHash(index - 1)
  }

  /** Covers all commits durable now. @throws LogUnusable if a commit does not name the previous hash or cannot be read */
  async catchUp(): Promise<void> {
    const wanted = this.log.durableIndex
    while (this.size < wanted && !this.#isClosed) {
      this.#feeding ??= this.#feed().finally(() => (this.#feeding = undefined))
      await this.#feeding
    }
  }

  /** Writes the current tree to the files; durable when it resolves. @returns the number of covered commits */
  keep(): Promise<number> {
    const before = this.#keeping
    this.#keeping = before.catch(() => {}).then(() => this.#keep())
    return this.#keeping
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopListening()
    await this.#feeding?.catch(() => {})
    await this.#keeping.catch(() => {})
    await this.#files?.close()
  }

  async #keep(): Promise<number> {
    const { size } = this
    if (!this.#files || !this.#isWriter || size === this.#kept) return size
    const levels: number[] = []
    for (let level = 0; countAt(level, size) > countAt(level, this.#kept); level++) {
      levels.push(level)
      const end = countAt(level, size)
      for (let at = countAt(level, this.#kept); at < end; at += SLICE)
        await this.#files.write(level, at, await this.tree.hashes(level, at, Math.min(at + SLICE, end)))
    }
    await this.#files.flush(levels)
    this.#kept = size
    this.tree.forget(size)
    return size
  }

  async #feed(): Promise<void> {
    while (this.size < this.log.durableIndex && !this.#isClosed) {
      const most = this.log.durableIndex - this.size
      const hashes = this.#arrived.take(this.size + 1, Math.min(most, SLICE))
      if (hashes.length === 0) await this.#read()
      for (let at = 0; at < hashes.length; at += HASH_BYTES)
        this.tree.append(hashes.subarray(at, at + HASH_BYTES))
      if (this.#holdsMany) await this.keep()
      await setImmediate()
    }
  }

  get #holdsMany(): boolean {
    return this.#isWriter && this.size - this.#kept >= MOST_UNKEPT
  }

  async #read(): Promise<void> {
    let before = this.size === 0 ? undefined : await this.tree.leafHash(this.size - 1)
    for await (const page of this.log.records(this.size + 1)) {
      for (const record of page) {
        if (record.index !== this.size + 1 || (before && !record.before.equals(before)))
          throw new LogUnusable(
            `commit ${record.index} does not name the hash of commit ${this.size}, so one of the two was changed`
          )
        before = record.hash
        this.tree.append(before)
      }
      if (this.#isClosed || this.#arrived.first <= this.size + 1 || this.#holdsMany) return
    }
  }
}
