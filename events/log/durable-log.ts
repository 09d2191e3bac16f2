import type { Commit } from '../envelope.js'
import type { StoredCommit } from '../stored.js'
import {
  CommitsPruned,
  type HistoryRange,
  LogUnusable,
  type PrunableSegment,
  type RecordRange,
  type ResourceKey
} from './log.js'
import { type RecordHashes, recordIfRetained, RecordLookup } from './record-lookup.js'
import type { StoredRecord } from './record.js'
import { type HistorySource, newestFirst, oldestFirst } from './resource-history.js'
import type { SecretLocation, SecretsVault } from './secrets.js'
import type { RecordStore } from './store.js'

/** An index that only grows. An exception of one listener does not affect the others. */
export class DurableIndex {
  readonly #listeners = new Set<(index: number) => void>()
  #ended = false

  /** @param value only `advance` raises it */
  constructor(public value: number) {}

  get ended(): boolean {
    return this.#ended
  }

  /** Raises the index and notifies the listeners. Ignores lower values. */
  advance(value: number): void {
    if (value <= this.value) return
    this.value = value
    this.#notify()
  }

  /** Ends all waits. The index does not grow afterwards. */
  end(): void {
    this.#ended = true
    this.#notify()
    this.#listeners.clear()
  }

  /** Calls `listener` each time the index grows. Returns a function that unsubscribes. */
  onAdvance(listener: (index: number) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Resolves when the index exceeds `index`, when `signal` aborts, or at the end. */
  async above(index: number, signal: AbortSignal): Promise<void> {
    if (this.value > index || this.#ended || signal.aborted) return
    await new Promise<void>(resolve => {
      const done = (): void => {
        if (this.value <= index && !this.#ended && !signal.aborted) return
        stop()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const stop = this.onAdvance(done)
      signal.addEventListener('abort', done)
    })
  }

  #notify(): void {
    for (const listener of this.#listeners)
      try {
        listener(this.value)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
  }
}

/** A page of commits ends with the one that has its event of this number. */
const PAGE_EVENTS = 256

/** Records as commits, many at a time. */
async function* pagesOf(
  pages: AsyncIterable<readonly StoredRecord[]>,
  vault: SecretsVault
): AsyncGenerator<readonly Commit[]> {
  let page: Commit[] = []
  let events = 0
  for await (const records of pages)
    for (const record of records) {
      const commit = record.commit(vault)
      page.push(commit)
      events += commit.Events.length
      if (events < PAGE_EVENTS) continue
      yield page
      page = []
      events = 0
    }
  if (page.length > 0) yield page
}

export abstract class DurableLog {
  protected store: RecordStore
  protected vault: SecretsVault
  protected readonly durable: DurableIndex
  protected single: RecordLookup

  protected constructor(store: RecordStore, vault: SecretsVault) {
    this.store = store
    this.vault = vault
    this.single = new RecordLookup(store)
    this.durable = new DurableIndex(store.head.index)
  }

  /** Continues with another store, which has a later newest commit. */
  protected use(store: RecordStore, vault: SecretsVault): void {
    this.store = store
    this.vault = vault
    this.single = new RecordLookup(store)
  }

  get #histories(): HistorySource {
    return {
      store: this.store,
      vault: this.vault,
      read: index => recordIfRetained(this.single.proved(index))
    }
  }

  get durableIndex(): number {
    return this.durable.value
  }

  get firstIndex(): number {
    return this.store.start.index + 1
  }

  prunableSegments(): Promise<readonly PrunableSegment[]> {
    return this.store.prunableSegments()
  }

  useHashes(hashes: RecordHashes): void {
    this.single.hashes = hashes
  }

  provedRecord(index: number): Promise<StoredRecord> {
    return this.single.proved(index)
  }

  /** Hash of the newest durable record, hex: pinned elsewhere, it proves the whole log up to `durableIndex`. */
  get headHash(): string {
    return Buffer.from(this.store.head.hash).toString('hex')
  }

  async hashAt(index: number): Promise<string> {
    const { head, start } = this.store
    if (index === head.index) return this.headHash
    if (index === start.index) return Buffer.from(start.hash).toString('hex')
    if (index < start.index) throw new CommitsPruned(index, this.firstIndex)
    return Buffer.from((await this.single.at(index)).hash).toString('hex')
  }

  sealBlock(bytes: Buffer, place: SecretLocation): Buffer {
    return this.vault.sealBlock(bytes, place)
  }

  openBlock(stored: Buffer, place: SecretLocation): Buffer {
    return this.vault.openBlock(stored, place)
  }

  async *read(from: number): AsyncGenerator<Commit> {
    for await (const page of this.pages(from)) yield* page
  }

  pages(from: number): AsyncGenerator<readonly Commit[]> {
    return pagesOf(this.records(from), this.vault)
  }

  commitOf(record: StoredCommit): Promise<Commit> {
    return this.single.commitOf(record, this.vault)
  }

  async *tail(from: number, signal: AbortSignal): AsyncGenerator<Commit> {
    let next = Math.max(1, from)
    while (!signal.aborted && !this.durable.ended) {
      for await (const commit of this.read(next)) {
        if (signal.aborted) return
        yield commit
        next = commit.Index + 1
      }
      await this.durable.above(next - 1, signal)
    }
  }

  history(
    resource: ResourceKey,
    { from, newestFirst: isBack = false, limit = Infinity }: HistoryRange = {}
  ): AsyncGenerator<Commit> {
    if (!isBack) return oldestFirst(this.#histories, resource, from ?? 1, () => this.durableIndex)
    return newestFirst(this.#histories, resource, Math.min(from ?? Infinity, this.durableIndex), limit)
  }

  async *records(
    from: number,
    { to = Infinity, topics }: RecordRange = {}
  ): AsyncGenerator<readonly StoredRecord[]> {
    for (let next = Math.max(1, from); ;) {
      if (next < this.firstIndex) throw new CommitsPruned(next, this.firstIndex)
      if (topics) next = (await this.store.nextOf?.(topics, next)) ?? next
      const last = Math.min(to, this.durableIndex)
      if (next > last) return
      const page = await this.store.page(next, last)
      yield page
      next += page.length
    }
  }

  get opensSecrets(): boolean {
    return this.vault.opens
  }

  /** Returns what is wrong with the parts of a record or its secrets, as a clause. */
  brokenPart(record: StoredRecord): string | undefined {
    const broken = record.brokenCommitment()
    if (broken !== undefined || !this.vault.opens) return broken
    try {
      record.tryToOpen(this.vault)
      return undefined
    } catch (error) {
      if (error instanceof LogUnusable) return error.message
      throw error
    }
  }

  onDurable(listener: (durableIndex: number) => void): () => void {
    return this.durable.onAdvance(listener)
  }
}
