// A store behind a journal: what is written is on disk with one flush, and goes to the store in larger batches a moment
// later.
import { NO_HASH, sha256 } from '../codec.js'
import { hashesOf } from './history.js'
import { continuation, type JournalBatch } from './journal-batch.js'
import { Journal } from './journal.js'
import { PendingRecords } from './pending-records.js'
import type { NewRecord, RecordStore, StoredRecord } from './store.js'

/** How long records may wait for others to be stored with them, in ms. */
const STORE_AFTER = 20
/** Stored in one transaction, in bytes: little enough that a disk that is nearly full takes what it can. */
const STORE_BYTES = 256 * 1024
/** Records of a page that come from memory. */
const PAGE = 256

export interface JournaledStoreOptions {
  /** Where the journal lies. */
  readonly folder: string
  /** What `readJournal` found before the store was opened: so nothing is missed between them while another process writes. */
  readonly found: readonly JournalBatch[]
  /** Nothing is written: what the journal holds beyond the store stays in it. */
  readonly readOnly: boolean
}

export class JournaledStore implements RecordStore {
  readonly #store: RecordStore
  #journal: Journal | undefined
  readonly #pending = new PendingRecords()
  #storing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #failure: { readonly cause: unknown } | undefined

  /**
   * Takes up what the journal holds beyond the store.
   * @throws what the file system reports when there is no room for the journal
   */
  constructor(store: RecordStore, { folder, found, readOnly }: JournaledStoreOptions) {
    this.#store = store
    this.#takeUp(found)
    if (readOnly) return
    this.#journal = new Journal(folder, this.#pending.last)
    this.#storeSoon()
  }

  headIndex(): number {
    const stored = this.#store.headIndex()
    if (!this.#journal) this.#pending.dropTo(stored)
    return Math.max(stored, this.#pending.last)
  }

  async write(batch: readonly NewRecord[]): Promise<void> {
    while (!this.#failure && !this.#writer.hasRoom(batch, this.#pending.first - 1)) {
      if (this.#pending.isEmpty) return this.#store.write(batch)
      await this.#storePending()
    }
    if (this.#failure) throw this.#failure.cause
    await this.#writer.write(batch)
    this.#pending.add(batch)
    this.#storeSoon()
  }

  peek(index: number): Uint8Array | undefined {
    return index < this.#pending.first ? this.#store.peek(index) : this.#pending.at(index)?.record
  }

  peekSecrets(index: number): Uint8Array | undefined {
    return index < this.#pending.first ? this.#store.peekSecrets(index) : this.#pending.at(index)?.secrets
  }

  page(from: number, to: number): readonly StoredRecord[] {
    const { first } = this.#pending
    if (from < first) return this.#store.page(from, Math.min(to, first - 1))
    return this.#pending.range(from, Math.min(to, from + PAGE - 1))
  }

  async *candidates(hash: number): AsyncGenerator<number> {
    let last = 0
    for await (const index of this.#store.candidates(hash)) yield (last = index)
    // What was pending at first may have been stored, and found, meanwhile.
    for (const index of this.#pending.withHash(hash)) if (index > last) yield index
  }

  async reopen(head: number): Promise<void> {
    await this.#storing?.catch(() => {})
    await this.#store.reopen(Math.min(head, this.#pending.first - 1))
    this.#failure = undefined
    while (!this.#pending.isEmpty) await this.#storePending()
    await this.#writer.clear()
  }

  /** What cannot be stored now is in the journal, and taken up by whoever opens the log next. */
  async close(): Promise<void> {
    while (this.#journal && !this.#failure && !this.#pending.isEmpty)
      await this.#storePending().catch(() => {})
    clearTimeout(this.#timer)
    this.#journal?.close()
    this.#journal = undefined
    await this.#store.close()
  }

  get #writer(): Journal {
    if (!this.#journal) throw new Error('it is open for reading only')
    return this.#journal
  }

  #takeUp(found: readonly JournalBatch[]): void {
    const head = this.#store.headIndex()
    const newest = head === 0 ? undefined : this.#store.peek(head)
    const added = continuation(found, head, newest ? sha256(newest) : NO_HASH)
    this.#pending.add(added.map(stored => ({ ...stored, hashes: hashesOf(stored) })))
  }

  /** Stores in the background: at once where there is enough for a transaction, otherwise in a moment. */
  #storeSoon(): void {
    if (this.#pending.isEmpty || this.#storing) return
    if (this.#pending.bytes >= STORE_BYTES) this.#storePending().catch(() => {})
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined
        this.#storePending().catch(() => {})
      }, STORE_AFTER)
  }

  /** Stores what is pending now. A failure is kept for the next write. */
  #storePending(): Promise<void> {
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = undefined
      if (!this.#failure) this.#storeSoon()
    })
    return this.#storing
  }

  async #storeAll(): Promise<void> {
    const { last } = this.#pending
    while (this.#pending.first <= last) {
      const batch = this.#pending.oldest(STORE_BYTES)
      try {
        await this.#store.write(batch)
      } catch (cause) {
        this.#failure = { cause }
        throw cause
      }
      this.#pending.dropTo(batch.at(-1)?.index ?? 0)
    }
  }
}
