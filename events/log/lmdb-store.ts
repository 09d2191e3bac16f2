// The LMDB engine: one transaction per batch, flushed before it is told.
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'lmdb'
import { setImmediate } from 'node:timers/promises'
import { bufferOf } from '../codec.js'
import { FileReserve } from './file-reserve.js'
import { ENTRY_BYTES, findInTable, hashesOf, HistoryTail, SEGMENT, segmentOf } from './history.js'
import type { LmdbFiles } from './lmdb-files.js'
import { indexOf, openFiles, probe, recordKey, secretsKey } from './lmdb-files.js'
import { LogUnusable } from './log.js'
import type { SecretsVault } from './secrets.js'
import type { NewRecord, RecordStore, StoredRecord } from './store.js'

const PAGE_COMMITS = 512
const PAGE_BYTES = 1024 * 1024
/** History tables looked at before other work gets its turn. */
const TABLES_AT_ONCE = 64
/** Most pages that a transaction writes besides those of its records: the paths through four trees, and the list of free pages. */
const BASE_PAGES = 64
/** Most pages per record, besides those that its bytes fill at least half. */
const PAGES_PER_RECORD = 2
const HALF_PAGE = 2048

export class LmdbStore implements RecordStore {
  readonly #path: string
  readonly #readOnly: boolean
  readonly #vault: SecretsVault
  readonly #tail = new HistoryTail()
  /** Tables that are being written. */
  readonly #finished = new Map<number, Buffer>()
  #files: LmdbFiles
  #reserve: FileReserve | undefined

  /** @throws LogUnusable when the folder holds no log (read-only), a newer one, or one with another key */
  constructor(path: string, readOnly: boolean, vault: SecretsVault) {
    this.#path = path
    this.#readOnly = readOnly
    this.#vault = vault
    this.#files = openFiles(path, readOnly, vault)
    if (readOnly) return
    this.#loadTail()
    this.#reserve = this.#openReserve()
  }

  headIndex(): number {
    if (this.#readOnly) this.#files.root.resetReadTxn()
    return lastIndex(this.#files.commits)
  }

  async write(batch: readonly NewRecord[]): Promise<void> {
    try {
      const pages = pagesFor(batch, this.#tail.size)
      if (!this.#reserve?.takeSpare(pages)) await this.#reserve?.take(pages)
      await this.#files.root.batch(() => this.#put(batch))
      this.#finished.clear()
    } catch (error) {
      throw await this.#explain(error)
    }
  }

  peek(index: number): Uint8Array | undefined {
    return viewOf(this.#files.commits.getBinaryFast(recordKey(index)))
  }

  peekSecrets(index: number): Uint8Array | undefined {
    return viewOf(this.#files.commits.getBinaryFast(secretsKey(index)))
  }

  page(from: number, to: number): readonly StoredRecord[] {
    const records: StoredRecord[] = []
    let newest: { readonly index: number; readonly record: Buffer; secrets: Buffer | undefined } | undefined
    let bytes = 0
    const last = Math.min(to, from + PAGE_COMMITS - 1)
    // A commit's secrets follow its record. The page ends only before a record, so that they stay together.
    for (const { key, value } of this.#files.commits.getRange({
      start: recordKey(from),
      end: recordKey(last + 1)
    })) {
      const index = indexOf(key)
      if (key === secretsKey(index)) {
        if (newest?.index === index) newest.secrets = value
        continue
      }
      if (bytes >= PAGE_BYTES) break
      newest = { index, record: value, secrets: undefined }
      records.push(newest)
      bytes += value.length
    }
    return records
  }

  async *candidates(hash: number): AsyncGenerator<number> {
    if (this.#readOnly) this.#loadTail()
    let segment = 0
    // The tail moves on where more is written meanwhile.
    for (; segment < this.#tail.segment; segment++) {
      const table = this.#finished.get(segment) ?? this.#files.history.get(segment)
      if (table === undefined) throw new LogUnusable(`history table ${segment} is missing`)
      yield* findInTable(table, segment, hash)
      if (segment % TABLES_AT_ONCE === TABLES_AT_ONCE - 1) await setImmediate()
    }
    yield* this.#tail.find(hash)
  }

  async reopen(head: number): Promise<void> {
    if (this.#readOnly) throw new Error('it is open for reading only')
    await this.close()
    this.#files = openFiles(this.#path, false, this.#vault)
    this.#reserve = this.#openReserve()
    await this.#reserve.take(BASE_PAGES)
    this.#removeAbove(head)
    this.#loadTail()
    probe(this.#files.root)
  }

  async close(): Promise<void> {
    this.#reserve?.close()
    this.#reserve = undefined
    await this.#files.root.close()
  }

  #put(batch: readonly NewRecord[]): void {
    const { commits, history } = this.#files
    for (const stored of batch) {
      void commits.put(recordKey(stored.index), bufferOf(stored.record))
      if (stored.secrets) void commits.put(secretsKey(stored.index), bufferOf(stored.secrets))
      const table = this.#tail.add(stored.index, stored.hashes)
      if (!table) continue
      this.#finished.set(segmentOf(stored.index), table)
      void history.put(segmentOf(stored.index), table)
    }
  }

  #openReserve(): FileReserve {
    const { root } = this.#files
    const { pageSize } = statisticsOf(root)
    return new FileReserve(join(this.#path, 'data.mdb'), pageSize, () => statisticsOf(root).lastPageNumber)
  }

  /** LMDB calls a write cut short by a full disk an I/O error, so tell how much is free. */
  async #explain(error: unknown): Promise<Error> {
    const cause = await realError(error)
    const text = cause instanceof Error ? cause.message : String(cause)
    const { bavail, bsize } = statfsSync(this.#path)
    return new Error(`${text} (${bavail * bsize} bytes are free in ${this.#path})`, { cause })
  }

  /** Nothing should be there: LMDB takes back a transaction that fails. But the chain will reuse these indexes, so make sure. */
  #removeAbove(head: number): void {
    const last = this.headIndex()
    if (last < head) throw new LogUnusable(`the log ends at ${last}, but ${head} was flushed`)
    if (last === head) return
    const { root, commits, history } = this.#files
    root.transactionSync(() => {
      for (let index = head + 1; index <= last; index++) {
        commits.removeSync(recordKey(index))
        commits.removeSync(secretsKey(index))
        if (index % SEGMENT === 0) history.removeSync(segmentOf(index))
      }
    })
  }

  /** Reads the commits of the unfinished segment again: at most 4,095. */
  #loadTail(): void {
    const head = this.headIndex()
    this.#tail.clear(segmentOf(head + 1))
    this.#finished.clear()
    for (let index = segmentOf(head + 1) * SEGMENT + 1; index <= head; index++) {
      const record = this.peek(index)
      if (record === undefined) throw new LogUnusable(`commit ${index} is missing`)
      this.#tail.add(index, hashesOf({ index, record }))
    }
  }
}

/** What lmdb-js tells of an environment; its types say nothing of it. */
interface Statistics {
  readonly pageSize: number
  readonly lastPageNumber: number
}

function statisticsOf(root: LmdbFiles['root']): Statistics {
  const { pageSize, lastPageNumber }: Partial<Statistics> = root.getStats()
  if (pageSize === undefined || lastPageNumber === undefined)
    throw new LogUnusable('the store does not tell its size')
  return { pageSize, lastPageNumber }
}

/**
 * An upper bound of the pages that a batch adds to the file.
 * @param entries of the history table that is not yet full
 */
function pagesFor(batch: readonly NewRecord[], entries: number): number {
  let pages = BASE_PAGES
  let inTable = entries
  for (const { index, record, secrets, hashes } of batch) {
    pages += PAGES_PER_RECORD + Math.ceil(record.length / HALF_PAGE)
    if (secrets) pages += PAGES_PER_RECORD + Math.ceil(secrets.length / HALF_PAGE)
    inTable += hashes.length
    if (index % SEGMENT !== 0) continue
    pages += PAGES_PER_RECORD + Math.ceil((inTable * ENTRY_BYTES) / HALF_PAGE)
    inTable = 0
  }
  return pages
}

function lastIndex(commits: Database<Buffer, number>): number {
  for (const key of commits.getKeys({ start: Number.MAX_SAFE_INTEGER, end: 0, reverse: true, limit: 1 }))
    return indexOf(key)
  return 0
}

/** lmdb-js hands out its one reading buffer, whose `length` is not the length of its memory. */
const viewOf = (shared: Uint8Array | undefined): Buffer | undefined =>
  shared && Buffer.from(shared.buffer, shared.byteOffset, shared.length)

/** lmdb-js rejects with an error that holds the promise of the real one, which must be listened to. */
async function realError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error
  try {
    await error.commitError
  } catch (real) {
    return real
  }
  return error
}
