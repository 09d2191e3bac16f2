// The log over a store: numbers, chains and groups the commits, and hands out only what is flushed.
import { EventEmitter } from 'eventemitter3'
import type { Commit } from '../envelope.js'
import type { CommitErasure } from '../erasure.js'
import { messageOf } from '../errors.js'
import { AppendBatch, CommitArrivals, GROUP_BYTES, TURN_EVENTS } from './append-batch.js'
import { DurableLog } from './durable-log.js'
import {
  type AppendOptions,
  type EventLog,
  type Flush,
  LogFailure,
  type Outcome,
  type WriteAdmission
} from './log.js'
import { countKnownRecords, verifyReceivedRecords } from './received-records.js'
import { RECORD_VERSION } from './record-format.js'
import { RecordGroup } from './record-group.js'
import type { StoredRecord } from './record.js'
import type { SecretsVault } from './secrets.js'
import type { SnapshotSource } from './snapshots/format.js'
import { type LogLinks, type RecordStore, StoreFull, WriteFailure } from './store.js'

/** Groups kept for reuse: one being flushed and one being filled. */
const KEPT = 2

/**
 * Group commit: one group is being flushed at a time, and what is appended meanwhile makes the next. So a flush is shared by
 * all that wait for it, and a group that fails takes with it everything appended after it, because the chain runs through it.
 */
export class StoredLog extends DurableLog implements EventLog, SnapshotSource {
  readonly #signals = new EventEmitter<{ flush: [flush: Flush] }>()
  readonly #links: LogLinks
  #appended: number
  #chain: Uint8Array
  #queue: AppendBatch[] = []
  readonly #arrivals = new CommitArrivals(() => this.#appended - this.durable.value)
  /** Batches with commits that are not encoded yet. All that is appended after them is encoded later, too. */
  #unencoded = 0
  #spare: RecordGroup[] = []
  #flushing: Promise<void> | undefined
  #isIngesting = false
  #recovering: Promise<Exclude<WriteAdmission, 'none'>> | undefined
  #failure: LogFailure | undefined
  #erasing: Promise<unknown> | undefined
  #erasures = 0

  protected constructor(store: RecordStore, vault: SecretsVault, links: LogLinks = {}) {
    super(store, vault)
    this.#links = links
    this.#failure = store.refusal === undefined ? undefined : new LogFailure(store.refusal)
    this.#appended = store.head.index
    this.#chain = store.head.hash
    store.onGrowth?.(
      () => this.durable.advance(store.head.index),
      () => this.durable.end()
    )
  }

  get erasures(): number {
    return this.#erasures
  }

  async erase(parts: readonly CommitErasure[]): Promise<number> {
    const durable = parts.filter(({ index }) => index >= this.firstIndex && index <= this.durableIndex)
    if (durable.length === 0) return 0
    while (this.#erasing) await this.#erasing
    this.#erasures++
    const { feed } = this.#links
    feed?.erasing(false)
    const erasing = this.store.erase(durable)
    this.#erasing = Promise.allSettled([erasing])
    try {
      return await erasing
    } finally {
      this.#erasing = undefined
      feed?.erasing(true)
      this.#erasures++
    }
  }

  async prune(upTo: number): Promise<void> {
    const last = Math.min(upTo, this.durableIndex)
    await this.single.hashes?.keep(last)
    await this.store.prune(last)
  }

  append(commits: readonly Commit[], { frees = false }: AppendOptions = {}): Promise<void> {
    if (this.#failure)
      return Promise.reject(new LogFailure(this.#failure.message, { cause: this.#failure.cause }))
    if (commits.length === 0) return Promise.resolve()
    if (this.#isIngesting) return Promise.reject(new LogFailure('the log follows another one'))
    let last = this.#appended
    let isLate = this.#unencoded > 0
    for (const { Index, Events } of commits) {
      if (Index !== last + 1)
        return Promise.reject(
          new LogFailure(`commit ${Index} does not continue the log, which ends at ${last}`)
        )
      last = Index
      isLate ||= Events.length > TURN_EVENTS
    }
    const batch = this.#batch(isLate)
    if (isLate) batch.addLate(commits, frees)
    else
      try {
        this.#chain = batch.group.add(commits, this.#chain, this.vault, frees)
      } catch (error) {
        return Promise.reject(
          new LogFailure(`commit ${this.#appended + 1} cannot be written as JSON`, { cause: error })
        )
      }
    this.#appended = last
    this.#flushing ??= this.#flush()
    return batch.flushed
  }

  /** Resolves when it is certain of all that was appended whether it is in the log. */
  async settled(): Promise<void> {
    while (this.#flushing) await this.#flushing
  }

  /** Parses records for `ingest`, while that writes those before them. @throws LogUnusable as `ingest` */
  open(records: readonly StoredRecord[]): void {
    for (const record of records) record.open(this.vault)
  }

  /**
   * Takes records that are durable elsewhere, as they are, once it is certain what became of all that was appended here. What this log
   * has of them already is passed over when it is the same. Nothing may be appended meanwhile.
   * @param records consecutive ones
   * @param apply called with their commits when they are flushed here, before anybody hears that they are durable
   * @throws RecordRefused when they do not continue this log; LogUnusable when a secret cannot be opened; LogFailure when they cannot be
   *   written: `recover` comes first then
   */
  async ingest(records: readonly StoredRecord[], apply: (commits: readonly Commit[]) => void): Promise<void> {
    while (this.#flushing) await this.#flushing
    this.#isIngesting = true
    const ingesting = this.#ingest(records, apply)
    this.#flushing = this.#afterIngesting(ingesting)
    return ingesting
  }

  async #ingest(
    records: readonly StoredRecord[],
    apply: (commits: readonly Commit[]) => void
  ): Promise<void> {
    if (this.#failure) throw new LogFailure(this.#failure.message, { cause: this.#failure.cause })
    const known = await countKnownRecords(records, this)
    const opened = verifyReceivedRecords(records.slice(known), this.store.head, this.vault)
    if (opened.length === 0) return
    const group = this.#emptyGroup()
    for (const { record, hash, commit } of opened) group.addRecord(record, hash, commit)
    const began = performance.now()
    try {
      await this.store.write(group)
      this.#links.feed?.publish(group)
    } catch (cause) {
      throw this.#failed(cause)
    }
    this.#appended = group.last
    this.#chain = group.hash
    apply(opened.map(({ commit }) => commit))
    this.#tell(group, (performance.now() - began) / 1000)
    this.#reuse(group)
  }

  async #afterIngesting(ingesting: Promise<void>): Promise<void> {
    await ingesting.catch(() => {})
    this.#isIngesting = false
    this.#flushing = undefined
  }

  recover(): Promise<Exclude<WriteAdmission, 'none'>> {
    this.#recovering ??= this.#recover().finally(() => (this.#recovering = undefined))
    return this.#recovering
  }

  async #recover(): Promise<Exclude<WriteAdmission, 'none'>> {
    if (this.durable.ended && this.#failure) throw this.#failure
    while (this.#flushing) await this.#flushing
    const reopening = this.store.reopen()
    // Nothing is written meanwhile.
    this.#flushing = this.#flushAfter(reopening)
    let room: Exclude<WriteAdmission, 'none'>
    try {
      room = await reopening
    } catch (error) {
      throw new LogFailure('the log still cannot be written', { cause: error })
    }
    if (!this.#failure) return room
    this.#appended = this.durableIndex
    this.#chain = this.store.head.hash
    this.#failure = undefined
    return room
  }

  /** Continues with another store after all appends settle; none may be made meanwhile. @param open opens a store with a later newest commit */
  protected async handOver(
    open: () => Promise<{ readonly store: RecordStore; readonly vault: SecretsVault }>
  ): Promise<void> {
    await this.#quiet()
    this.#failure = new LogFailure('the log is being replaced')
    await this.store.close()
    const { store, vault } = await open()
    this.use(store, vault)
    this.#appended = store.head.index
    this.#chain = store.head.hash
    this.#failure = undefined
    this.durable.advance(store.head.index)
  }

  onFlush(listener: (flush: Flush) => void): () => void {
    this.#signals.on('flush', listener)
    return () => void this.#signals.off('flush', listener)
  }

  async close(): Promise<void> {
    if (this.durable.ended) return
    await this.#quiet()
    this.#failure = new LogFailure('the log is closed')
    this.durable.end()
    await this.store.close()
  }

  /** Resolves when nothing is done to the files. */
  async #quiet(): Promise<void> {
    while (this.#flushing) await this.#flushing
    await this.#recovering?.catch(() => {})
    await this.#erasing
  }

  /** The newest batch that is not yet being flushed and can take further commits, or a new one. */
  #batch(isLate: boolean): AppendBatch {
    const newest = this.#queue.at(-1)
    if (newest?.isLate === isLate && newest.group.size <= GROUP_BYTES) return newest
    const batch = new AppendBatch(this.#emptyGroup(), isLate)
    if (isLate) this.#unencoded++
    this.#queue.push(batch)
    return batch
  }

  async #flushAfter(work: Promise<unknown>): Promise<void> {
    await work.catch(() => {})
    return this.#flush()
  }

  /** Writes batch after batch until the queue is empty or one fails. Never rejects. */
  async #flush(): Promise<void> {
    await this.#arrivals.settle()
    for (let batch = this.#queue.shift(); batch; batch = this.#queue.shift()) {
      if (!batch.isLate && batch.group.count === 0) continue
      const before = this.durable.value
      if (!(await this.#flushBatch(batch))) break
      batch.resolve()
      this.#arrivals.released(this.durable.value - before)
      if (this.#queue.length > 0) await this.#arrivals.settle()
    }
    this.#flushing = undefined
  }

  /** Writes a batch, group after group if it is encoded late. Returns false when that fails. */
  async #flushBatch(batch: AppendBatch): Promise<boolean> {
    for (let { group } = batch; ; group = this.#emptyGroup()) {
      try {
        if (batch.isLate) this.#chain = await batch.encode(group, this.#chain, this.vault)
        if (batch.isLate && batch.isEncoded) this.#unencoded--
        const began = performance.now()
        const { order, feed } = this.#links
        const { store } = this
        await (order ? order.write(group, store.head, () => store.write(group)) : store.write(group))
        feed?.publish(group)
        this.#tell(group, (performance.now() - began) / 1000)
      } catch (error) {
        this.#fail(batch, group, error)
        return false
      }
      this.#reuse(group)
      if (!batch.isLate || batch.isEncoded) return true
    }
  }

  #tell({ first, last, count, hashes }: RecordGroup, seconds: number): void {
    this.#signals.emit('flush', { commits: count, first, hashes, seconds })
    this.durable.advance(last)
  }

  #emptyGroup(): RecordGroup {
    const group = this.#spare.pop() ?? new RecordGroup()
    group.version = this.store.head.version ?? RECORD_VERSION
    return group
  }

  #reuse(group: RecordGroup): void {
    group.clear()
    if (this.#spare.length < KEPT) this.#spare.push(group)
  }

  #fail(batch: AppendBatch, group: RecordGroup, cause: unknown): void {
    const outcome: Outcome = cause instanceof WriteFailure ? cause.outcome : 'unknown'
    const hint = cause instanceof StoreFull ? cause.message : undefined
    const failure = this.#failed(cause)
    batch.reject(new LogFailure(failure.message, { cause, outcome, hint, upTo: group.last }))
    for (const failed of this.#queue) failed.reject(failure)
    this.#queue = []
    this.#unencoded = 0
  }

  /** From now on nothing is written until `recover` has succeeded. */
  #failed(cause: unknown): LogFailure {
    this.#failure = new LogFailure(`the log cannot be written: ${messageOf(cause)}`, { cause })
    return this.#failure
  }
}
