// The log in memory: for unit tests and servers that keep nothing. Same rules as on disk, durable after a microtask.
import { findInTable, HistoryTail } from './history.js'
import { SecretsVault } from './secrets.js'
import type { NewRecord, RecordStore, StoredRecord } from './store.js'
import { StoredLog } from './stored-log.js'

export interface MemoryLogOptions {
  /** The flush of the batch that holds the commit with this index fails, once. */
  readonly failAt?: number
  /** Called before a batch becomes durable, with its highest index: to delay the flush, or to make it fail by rejecting. */
  readonly beforeFlush?: (upTo: number) => Promise<void>
}

const PAGE = 256

class MemoryStore implements RecordStore {
  readonly #records: StoredRecord[] = []
  readonly #tables: Buffer[] = []
  readonly #tail = new HistoryTail()
  readonly #options: MemoryLogOptions
  #failAt: number | undefined

  constructor(options: MemoryLogOptions) {
    this.#options = options
    this.#failAt = options.failAt
  }

  headIndex(): number {
    return this.#records.length
  }

  async write(batch: readonly NewRecord[]): Promise<void> {
    await this.#options.beforeFlush?.(batch.at(-1)?.index ?? 0)
    if (batch.some(({ index }) => index === this.#failAt)) {
      this.#failAt = undefined
      throw new Error('no space left (made by the test)')
    }
    for (const { index, record, secrets, hashes } of batch) {
      this.#records.push({ index, record, secrets })
      const table = this.#tail.add(index, hashes)
      if (table) this.#tables.push(table)
    }
  }

  peek(index: number): Uint8Array | undefined {
    return this.#records[index - 1]?.record
  }

  peekSecrets(index: number): Uint8Array | undefined {
    return this.#records[index - 1]?.secrets
  }

  page(from: number, to: number): readonly StoredRecord[] {
    return this.#records.slice(from - 1, Math.min(to, from - 1 + PAGE))
  }

  async *candidates(hash: number): AsyncGenerator<number> {
    for (const [segment, table] of this.#tables.entries()) yield* findInTable(table, segment, hash)
    yield* this.#tail.find(hash)
  }

  async reopen(): Promise<void> {}

  async close(): Promise<void> {}
}

export class MemoryEventLog extends StoredLog {
  constructor(options: MemoryLogOptions = {}) {
    super(new MemoryStore(options), new SecretsVault())
  }
}
