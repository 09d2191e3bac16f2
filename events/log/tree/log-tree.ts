// The tree over the commits of a log: fed with the hashes of what is flushed, and where those are missing, from the records.
import { setImmediate } from 'node:timers/promises'
import { LogUnusable } from '../log.js'
import type { StoredLog } from '../stored-log.js'
import type { LevelFiles } from './level-files.js'
import type { RecordHashes } from '../record-lookup.js'
import { countAt, HASH_BYTES } from './tiles.js'
import type { MerkleTree } from './tree.js'

/** More than come in some seconds; what is not here is read from the records. */
const MOST = 65_536
const FIRST_SIZE = 1024

class PendingHashes {
  #bytes = Buffer.alloc(FIRST_SIZE * HASH_BYTES)
  /** Index of the commit whose hash is the first. */
  #first = 1
  #count = 0

  /** Index of the first commit whose hash is here; Infinity when there is none. */
  get first(): number {
    return this.#count === 0 ? Infinity : this.#first
  }

  /** Takes the hashes of a flush, one behind the other. */
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

  /**
   * Hands out the hashes from that of a commit on, and forgets those before it.
   * @returns one behind the other, as long as nothing is added; none when that of the commit is not here
   */
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

/** Hashes that are added before others have their turn. */
const SLICE = 512
/** Bounds the hashes in memory while many are added: they are stored whenever so many are pending. */
const MOST_UNKEPT = 65_536

/** What is read of a log to make its tree. */
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

  /**
   * @param tree as far as it is known to be right; its leaves are commits of the log
   * @param kept the files that hold it, which a writer adds to; what is in none of them stays in memory
   */
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

  /** How many commits have to be read before it covers all that are durable. */
  get behind(): number {
    return Math.max(Math.min(this.#arrived.first - 1, this.log.durableIndex) - this.size, 0)
  }

  async hashOf(index: number): Promise<Buffer | undefined> {
    if (index > this.size && this.behind === 0) await this.catchUp()
    return index > this.size ? undefined : this.tree.leafHash(index - 1)
  }

  /**
   * Resolves when the commits are in it that are durable now.
   * @throws LogUnusable when one does not name the hash of the one before it, or cannot be read
   */
  async catchUp(): Promise<void> {
    const wanted = this.log.durableIndex
    while (this.size < wanted && !this.#isClosed) {
      this.#feeding ??= this.#feed().finally(() => (this.#feeding = undefined))
      await this.#feeding
    }
  }

  /**
   * Keeps on disk what the tree has now; durable when it resolves.
   * @returns how many commits that covers
   */
  keep(): Promise<number> {
    const before = this.#keeping
    this.#keeping = before.catch(() => {}).then(() => this.#keep())
    return this.#keeping
  }

  /** Ends what is under way, and closes the files. */
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

  /** Adds from the records what did not arrive. */
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
