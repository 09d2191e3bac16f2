// The log over a store: numbers, chains and groups the commits, and hands out only what is flushed.
import { setImmediate } from 'node:timers/promises'
import { commitText, decodeRecord, encodeRecord, NO_HASH, restoreCommit, sha256 } from '../codec.js'
import type { Commit } from '../envelope.js'
import { DurableIndex } from './durable.js'
import { historyHash } from './history.js'
import type { EventLog, Flush } from './log.js'
import { LogFailure, LogUnusable } from './log.js'
import type { SecretsVault } from './secrets.js'
import type { NewRecord, RecordStore, StoredRecord } from './store.js'

/** A batch is closed when it holds this many bytes, so that one huge commit does not delay many small ones for long. */
const BATCH_BYTES = 8 * 1024 * 1024
/** A page of commits ends with the one that has its event of this number. */
const PAGE_EVENTS = 256

/** Appends that are flushed together, and share one promise. */
class Batch {
  readonly records: NewRecord[] = []
  readonly flushed: Promise<void>
  bytes = 0
  resolve: () => void = () => {}
  reject: (error: LogFailure) => void = () => {}

  constructor() {
    this.flushed = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }
}

/**
 * Group commit: one batch is being flushed at a time, and what is appended meanwhile makes the next. So a flush is shared by
 * all that wait for it, and a batch that fails takes with it everything appended after it, because the chain runs through it.
 */
export class StoredLog implements EventLog {
  readonly #store: RecordStore
  readonly #vault: SecretsVault
  readonly #durable: DurableIndex
  readonly #flushListeners = new Set<(flush: Flush) => void>()
  #appended: number
  #chain: Uint8Array
  #queue: Batch[] = []
  #flushing: Promise<void> | undefined
  #recovering: Promise<void> | undefined
  #failure: LogFailure | undefined
  #head: { readonly index: number; readonly hash: string } | undefined

  /** @param refusal why nothing may be appended; for a log that another process writes */
  protected constructor(store: RecordStore, vault: SecretsVault, refusal?: string) {
    this.#failure = refusal === undefined ? undefined : new LogFailure(refusal)
    this.#store = store
    this.#vault = vault
    this.#appended = store.headIndex()
    this.#durable = new DurableIndex(this.#appended)
    this.#chain = this.#hashAt(this.#appended)
  }

  get durableIndex(): number {
    return this.#durable.value
  }

  /** SHA-256 of the newest durable record, hex: pinned elsewhere, it proves the whole log up to `durableIndex`. */
  get headHash(): string {
    const index = this.durableIndex
    if (this.#head?.index !== index)
      this.#head = { index, hash: Buffer.from(this.#hashAt(index)).toString('hex') }
    return this.#head.hash
  }

  append(commits: readonly Commit[]): Promise<void> {
    if (this.#failure)
      return Promise.reject(new LogFailure(this.#failure.message, { cause: this.#failure.cause }))
    if (commits.length === 0) return Promise.resolve()
    const records: NewRecord[] = []
    let appended = this.#appended
    let chain = this.#chain
    let bytes = 0
    try {
      for (const commit of commits) {
        if (commit.Index !== appended + 1)
          throw new LogFailure(`commit ${commit.Index} does not continue the log, which ends at ${appended}`)
        const record = this.#encode(commit, chain)
        records.push(record)
        appended = commit.Index
        chain = sha256(record.record)
        bytes += record.record.length
      }
    } catch (error) {
      return Promise.reject(
        error instanceof LogFailure
          ? error
          : new LogFailure(`commit ${appended + 1} cannot be written as JSON`, { cause: error })
      )
    }
    this.#appended = appended
    this.#chain = chain
    return this.#enqueue(records, bytes)
  }

  recover(): Promise<void> {
    this.#recovering ??= this.#recover().finally(() => (this.#recovering = undefined))
    return this.#recovering
  }

  async #recover(): Promise<void> {
    if (!this.#failure) return
    if (this.#durable.ended) throw this.#failure
    await this.#flushing
    try {
      await this.#store.reopen(this.durableIndex)
    } catch (error) {
      throw new LogFailure('the log still cannot be written', { cause: error })
    }
    this.#appended = this.durableIndex
    this.#chain = this.#hashAt(this.durableIndex)
    this.#failure = undefined
  }

  async *read(from: number): AsyncGenerator<Commit> {
    for await (const page of this.pages(from)) yield* page
  }

  async *pages(from: number): AsyncGenerator<readonly Commit[]> {
    let page: Commit[] = []
    let events = 0
    for (let next = Math.max(1, from); next <= this.durableIndex; next++) {
      const commit = this.#commit(next)
      page.push(commit)
      events += commit.Events.length
      if (events < PAGE_EVENTS && next < this.durableIndex) continue
      yield page
      page = []
      events = 0
    }
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

  async *history(topic: string, partition: string, namespace: string, key: string): AsyncGenerator<Commit> {
    for await (const index of this.#store.candidates(historyHash(topic, partition, namespace, key))) {
      if (index > this.durableIndex) return
      const commit = this.#commit(index)
      const about = commit.Events.some(
        e => e.Topic === topic && e.Key === key && e.Namespace === namespace && e.Partition === partition
      )
      if (about) yield commit
    }
  }

  /** Durable records with an index of at least `from`, as they are stored: for verifying and copying. */
  async *records(from: number): AsyncGenerator<StoredRecord> {
    for (const page of this.#pages(from)) yield* page
  }

  /** Proves the secrets of a stored commit by its digest. @throws LogUnusable */
  checkSecrets(stored: StoredRecord): void {
    const { SecretsDigest: digest } = decodeRecord(stored.record, stored.index)
    if (digest !== undefined) this.#vault.open(stored.index, digest, stored.secrets)
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
    this.#failure = new LogFailure('the log is closed')
    this.#durable.end()
    await this.#store.close()
  }

  /** For a log that another process writes: takes over what it has made durable. */
  protected refresh(): void {
    this.#durable.advance(this.#store.headIndex())
  }

  /** Adds records to the newest batch that is not yet being flushed. */
  #enqueue(records: readonly NewRecord[], bytes: number): Promise<void> {
    let batch = this.#queue.at(-1)
    if (!batch || batch.bytes + bytes > BATCH_BYTES) this.#queue.push((batch = new Batch()))
    for (const record of records) batch.records.push(record)
    batch.bytes += bytes
    this.#flushing ??= this.#flush()
    return batch.flushed
  }

  /** Writes batch after batch until the queue is empty or one fails. Never rejects. */
  async #flush(): Promise<void> {
    // Until what has arrived by now is decided, so that it shares the first batch.
    await setImmediate()
    for (let batch = this.#queue.shift(); batch; batch = this.#queue.shift()) {
      const began = performance.now()
      let seconds: number
      try {
        await this.#store.write(batch.records)
        seconds = (performance.now() - began) / 1000
      } catch (error) {
        this.#fail(batch, error)
        break
      }
      this.#durable.advance(batch.records.at(-1)?.index ?? 0)
      batch.resolve()
      for (const listener of this.#flushListeners) listener({ commits: batch.records.length, seconds })
    }
    this.#flushing = undefined
  }

  #encode(commit: Commit, previous: Uint8Array): NewRecord {
    const sealed = this.#vault.seal(commit)
    return {
      index: commit.Index,
      record: encodeRecord(previous, commitText(commit, sealed?.digest)),
      secrets: sealed?.record,
      hashes: commit.Events.map(e => historyHash(e.Topic, e.Partition, e.Namespace, e.Key))
    }
  }

  #fail(batch: Batch, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    this.#failure = new LogFailure(`the log cannot be written: ${reason}`, { cause })
    for (const failed of [batch, ...this.#queue]) failed.reject(this.#failure)
    this.#queue = []
  }

  /** Pages without gaps, each taken from the store when it is asked for. */
  *#pages(from: number): Generator<readonly StoredRecord[]> {
    let next = Math.max(1, from)
    while (next <= this.durableIndex) {
      const page = this.#store.page(next, this.durableIndex)
      const gap = page.findIndex(({ index }, i) => index !== next + i)
      const whole = gap === -1 ? page : page.slice(0, gap)
      if (whole.length > 0) yield whole
      next += whole.length
      if (whole.length < page.length || page.length === 0) throw new LogUnusable(`commit ${next} is missing`)
    }
  }

  #hashAt(index: number): Uint8Array {
    return index === 0 ? NO_HASH : sha256(this.#record(index))
  }

  #record(index: number): Uint8Array {
    const record = this.#store.peek(index)
    if (record === undefined) throw new LogUnusable(`commit ${index} is missing`)
    return record
  }

  #commit(index: number): Commit {
    const stored = decodeRecord(this.#record(index), index)
    const { SecretsDigest: digest } = stored
    if (digest === undefined) return restoreCommit(stored)
    return restoreCommit(stored, this.#vault.open(index, digest, this.#store.peekSecrets(index)))
  }
}
