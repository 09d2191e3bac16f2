// The log over a store: numbers, chains and groups the commits, and hands out only what is flushed.
import { setImmediate } from 'node:timers/promises'
import type { Commit } from '../envelope.js'
import type { KeptAnswer } from '../kept-answer.js'
import type { StoredCommit } from '../stored.js'
import { Batch } from './batch.js'
import { DurableIndex } from './durable.js'
import type { Erasing } from '../erasing.js'
import { RecordGroup } from './group.js'
import type { AppendOptions, EventLog, Flush, LogPiece, Outcome, Room, ThingName } from './log.js'
import { CommitsGone, LogFailure, LogUnusable } from './log.js'
import { firstNotBefore, pagesOf, recordsOf } from './pages.js'
import type { StoredRecord } from './record.js'
import type { SecretPlace, SecretsVault } from './secrets.js'
import { ifKept, SingleRecords } from './single-records.js'
import type { SnapshotSource } from './snapshots/snapshots.js'
import { NoRoom, WriteFailure, type RecordStore } from './store.js'
import { newestFirst, oldestFirst, type Histories } from './thing-history.js'
import type { RecordHashes } from './tree/record-hashes.js'

/** A group is closed when it holds this many bytes, so that one huge commit does not delay many small ones for long. */
const GROUP_BYTES = 1024 * 1024
/** Groups that are kept to be filled anew: one is being flushed, and one forms meanwhile. */
const KEPT = 2

/**
 * Group commit: one group is being flushed at a time, and what is appended meanwhile makes the next. So a flush is shared by
 * all that wait for it, and a group that fails takes with it everything appended after it, because the chain runs through it.
 */
export class StoredLog implements EventLog, SnapshotSource {
  #store: RecordStore
  #vault: SecretsVault
  readonly #durable: DurableIndex
  #histories: Histories
  #records: SingleRecords
  readonly #flushListeners = new Set<(flush: Flush) => void>()
  #appended: number
  #chain: Uint8Array
  #queue: Batch[] = []
  #spare: RecordGroup[] = []
  #flushing: Promise<void> | undefined
  #recovering: Promise<Exclude<Room, 'none'>> | undefined
  #failure: LogFailure | undefined
  #erasing: Promise<unknown> | undefined
  #erasures = 0

  protected constructor(store: RecordStore, vault: SecretsVault) {
    this.#store = store
    this.#failure = store.refusal === undefined ? undefined : new LogFailure(store.refusal)
    this.#vault = vault
    this.#records = new SingleRecords(store)
    this.#histories = { store, vault, read: index => ifKept(this.#records.proved(index)) }
    this.#appended = store.head.index
    this.#chain = store.head.hash
    this.#durable = new DurableIndex(this.#appended)
    store.onGrowth?.(
      () => this.#durable.advance(store.head.index),
      () => this.#durable.end()
    )
  }

  get durableIndex(): number {
    return this.#durable.value
  }

  get firstIndex(): number {
    return this.#store.start.index + 1
  }

  pieces(): Promise<readonly LogPiece[]> {
    return this.#store.pieces()
  }

  get erasures(): number {
    return this.#erasures
  }

  async erase(parts: readonly Erasing[]): Promise<number> {
    const durable = parts.filter(({ index }) => index >= this.firstIndex && index <= this.durableIndex)
    if (durable.length === 0) return 0
    while (this.#erasing) await this.#erasing
    this.#erasures++
    const erasing = this.#store.erase(durable)
    this.#erasing = Promise.allSettled([erasing])
    try {
      return await erasing
    } finally {
      this.#erasing = undefined
      this.#erasures++
    }
  }

  async letGo(upTo: number): Promise<void> {
    const last = Math.min(upTo, this.durableIndex)
    await this.#records.hashes?.keep(last)
    await this.#store.letGo(last)
  }

  /** From now on no commit is served whose hash is another, and none goes before its hash is kept. */
  useHashes(hashes: RecordHashes): void {
    this.#records.hashes = hashes
  }

  /** See `ProvableLog`. */
  provedRecord(index: number): Promise<StoredRecord> {
    return this.#records.proved(index)
  }

  /** Hash of the newest durable record, hex: pinned elsewhere, it proves the whole log up to `durableIndex`. */
  get headHash(): string {
    return Buffer.from(this.#store.head.hash).toString('hex')
  }

  async hashAt(index: number): Promise<string> {
    const { head, start } = this.#store
    if (index === head.index) return this.headHash
    if (index === start.index) return Buffer.from(start.hash).toString('hex')
    if (index < start.index) throw new CommitsGone(index, this.firstIndex)
    return Buffer.from((await this.#records.at(index)).hash).toString('hex')
  }

  sealBlock(bytes: Buffer, place: SecretPlace): Buffer {
    return this.#vault.sealBlock(bytes, place)
  }

  openBlock(stored: Buffer, place: SecretPlace): Buffer {
    return this.#vault.openBlock(stored, place)
  }

  append(commits: readonly Commit[], { frees = false }: AppendOptions = {}): Promise<void> {
    if (this.#failure)
      return Promise.reject(new LogFailure(this.#failure.message, { cause: this.#failure.cause }))
    if (commits.length === 0) return Promise.resolve()
    for (const [i, { Index }] of commits.entries())
      if (Index !== this.#appended + 1 + i)
        return Promise.reject(
          new LogFailure(`commit ${Index} does not continue the log, which ends at ${this.#appended + i}`)
        )
    const batch = this.#batch()
    try {
      this.#chain = batch.group.add(commits, this.#chain, this.#vault, frees)
    } catch (error) {
      return Promise.reject(
        new LogFailure(`commit ${this.#appended + 1} cannot be written as JSON`, { cause: error })
      )
    }
    this.#appended += commits.length
    this.#flushing ??= this.#flush()
    return batch.flushed
  }

  recover(): Promise<Exclude<Room, 'none'>> {
    this.#recovering ??= this.#recover().finally(() => (this.#recovering = undefined))
    return this.#recovering
  }

  async #recover(): Promise<Exclude<Room, 'none'>> {
    if (this.#durable.ended && this.#failure) throw this.#failure
    while (this.#flushing) await this.#flushing
    const reopening = this.#store.reopen()
    // Nothing is written meanwhile.
    this.#flushing = this.#flushAfter(reopening)
    let room: Exclude<Room, 'none'>
    try {
      room = await reopening
    } catch (error) {
      throw new LogFailure('the log still cannot be written', { cause: error })
    }
    if (!this.#failure) return room
    this.#appended = this.durableIndex
    this.#chain = this.#store.head.hash
    this.#failure = undefined
    return room
  }

  async *read(from: number): AsyncGenerator<Commit> {
    for await (const page of this.pages(from)) yield* page
  }

  pages(from: number): AsyncGenerator<readonly Commit[]> {
    return pagesOf(this.records(from), this.#vault)
  }

  commitOf(record: StoredCommit): Promise<Commit> {
    return this.#records.commitOf(record, this.#vault)
  }

  async *tail(from: number, signal: AbortSignal): AsyncGenerator<Commit> {
    let next = Math.max(1, from)
    while (!signal.aborted && !this.#durable.ended) {
      for await (const commit of this.read(next)) {
        if (signal.aborted) return
        yield commit
        next = commit.Index + 1
      }
      await this.#durable.above(next - 1, signal)
    }
  }

  history(
    topic: string,
    partition: string,
    namespace: string,
    key: string,
    from = 1
  ): AsyncGenerator<Commit> {
    return oldestFirst(this.#histories, { topic, partition, namespace, key }, from, () => this.durableIndex)
  }

  newestFirst(thing: ThingName, from = Infinity): AsyncGenerator<Commit> {
    return newestFirst(this.#histories, thing, Math.min(from, this.durableIndex))
  }

  async answerAt(index: number): Promise<KeptAnswer | undefined> {
    return (await this.provedRecord(index)).answer(this.#vault)
  }

  timeAt(index: number): Promise<number> {
    return this.#records.timeAt(index)
  }

  indexAt(time: number): Promise<number> {
    return firstNotBefore(this, index => ifKept(this.#records.at(index)), time)
  }

  async *records(from: number): AsyncGenerator<readonly StoredRecord[]> {
    for (let next = Math.max(1, from); next <= this.durableIndex;) {
      if (next < this.firstIndex) throw new CommitsGone(next, this.firstIndex)
      const page = await this.#store.page(next, this.durableIndex)
      yield page
      next += page.length
    }
  }

  recordsOf(topics: readonly string[], from: number): AsyncGenerator<readonly StoredRecord[]> {
    return recordsOf(this.#store, topics, from, this.durableIndex)
  }

  /** Whether the secrets of commits are read, and can be proved to open. */
  get opensSecrets(): boolean {
    return this.#vault.opens
  }

  /** What is wrong with a record by what it commits to, or with its secrets if they are read, as a clause; undefined for nothing. */
  brokenPart(record: StoredRecord): string | undefined {
    const broken = record.brokenCommitment()
    if (broken !== undefined || !this.#vault.opens) return broken
    try {
      record.tryToOpen(this.#vault)
      return undefined
    } catch (error) {
      if (error instanceof LogUnusable) return error.message
      throw error
    }
  }

  /**
   * Goes on with another store in place of this one, which is closed when all that was appended is settled. Nothing may be appended
   * meanwhile.
   * @param open gives what takes its place; its newest commit must be a later one
   */
  protected async handOver(
    open: () => Promise<{ readonly store: RecordStore; readonly vault: SecretsVault }>
  ): Promise<void> {
    while (this.#flushing) await this.#flushing
    this.#failure = new LogFailure('the log is being replaced')
    await this.#store.close()
    const { store, vault } = await open()
    this.#store = store
    this.#vault = vault
    this.#records = new SingleRecords(store)
    this.#histories = { store, vault, read: index => ifKept(this.#records.proved(index)) }
    this.#appended = store.head.index
    this.#chain = store.head.hash
    this.#failure = undefined
    this.#durable.advance(store.head.index)
  }

  onDurable(listener: (durableIndex: number) => void): () => void {
    return this.#durable.onAdvance(listener)
  }

  onFlush(listener: (flush: Flush) => void): () => void {
    const own = (flush: Flush): void => listener(flush)
    this.#flushListeners.add(own)
    return () => void this.#flushListeners.delete(own)
  }

  async close(): Promise<void> {
    if (this.#durable.ended) return
    while (this.#flushing) await this.#flushing
    await this.#recovering?.catch(() => {})
    await this.#erasing
    this.#failure = new LogFailure('the log is closed')
    this.#durable.end()
    await this.#store.close()
  }

  /** The newest batch that is not yet being flushed. */
  #batch(): Batch {
    let batch = this.#queue.at(-1)
    if (!batch || batch.group.size > GROUP_BYTES)
      this.#queue.push((batch = new Batch(this.#spare.pop() ?? new RecordGroup())))
    return batch
  }

  async #flushAfter(work: Promise<unknown>): Promise<void> {
    await work.catch(() => {})
    return this.#flush()
  }

  /** Writes batch after batch until the queue is empty or one fails. Never rejects. */
  async #flush(): Promise<void> {
    // Until what has arrived by now is decided, so that it shares the first batch.
    await setImmediate()
    for (let batch = this.#queue.shift(); batch; batch = this.#queue.shift()) {
      const { group } = batch
      if (group.isEmpty) continue
      const { first, last, count, hashes } = group
      const began = performance.now()
      let seconds: number
      try {
        await this.#store.write(group)
        seconds = (performance.now() - began) / 1000
      } catch (error) {
        this.#fail(batch, error)
        break
      }
      for (const listener of this.#flushListeners) listener({ commits: count, first, hashes, seconds })
      this.#durable.advance(last)
      batch.resolve()
      group.clear()
      if (this.#spare.length < KEPT) this.#spare.push(group)
    }
    this.#flushing = undefined
  }

  #fail(batch: Batch, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const text = `the log cannot be written: ${reason}`
    const outcome: Outcome = cause instanceof WriteFailure ? cause.outcome : 'unknown'
    const hint = cause instanceof NoRoom ? cause.message : undefined
    batch.reject(new LogFailure(text, { cause, outcome, hint, upTo: batch.group.last }))
    this.#failure = new LogFailure(text, { cause })
    for (const failed of this.#queue) failed.reject(this.#failure)
    this.#queue = []
  }
}
