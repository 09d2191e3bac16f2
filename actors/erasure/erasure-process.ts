// Executes erasure orders and erases the secrets of deleted resources, and resumes after every start.
import { setImmediate } from 'node:timers/promises'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { type CommitErasure, ERASURE_TOPIC, type Erasure, isOriginErasure } from '../../events/erasure.js'
import type { LogMaintenance, LogReader } from '../../events/log/log.js'
import { parseTime } from '../../events/time.js'
import type { OrderedErasure } from '../../projections/erasures.js'
import { Views } from '../../projections/read-models.js'
import { lifecycles } from '../aggregates.js'
import { Committer } from '../committer.js'
import { Deadlines } from '../clock.js'
import { EVENT_LOG } from '../ports.js'
import {
  resourcesDeletedBy,
  deletionsAmong,
  secretsDeletedBy,
  type DeletedResource,
  SECRET_TOPICS
} from './deleted-secrets.js'
import { responsesAbout, partsToEraseBy } from './parts-to-erase.js'
import {
  commitsChangedSince,
  EMPTY_ERASURE_CHECKPOINT,
  type ErasureCheckpoint,
  type LogFileStamp
} from './erasure-checkpoint.js'

const SECRETS = 'erasure of secrets'
const RETRY = 'erasure'
const RETRY_MS = 60_000
const PARTS_PER_WRITE = 256

/** Other stores of a server that contain erased data, and the erasure's files. */
export interface ErasureTargets {
  /** How long secrets are retained after the deletion of their resource, ms. */
  readonly secretsAfter: number
  /** Replaces all snapshots, and the base snapshot, with state before an index. @param needsBase the commits up to it can no longer be replayed */
  readonly supersede: (index: number, needsBase: boolean) => Promise<void>
  /** Executes the orders in truncated copies of the log and in denied attempts. */
  readonly eraseElsewhere: (orders: readonly OrderedErasure[]) => Promise<void>
  readonly eraseSecretsElsewhere: (ended: readonly DeletedResource[]) => Promise<void>
  readonly onErased: () => void
  readonly onFailure: (error: unknown) => void
  readonly checkpoint: {
    read(): Promise<ErasureCheckpoint>
    write(checkpoint: ErasureCheckpoint): Promise<void>
  }
  /** The current files of the log, ascending; none for a log in memory. */
  readonly files: () => Promise<readonly LogFileStamp[]>
}

interface ErasureProgress {
  readonly state: 'pending' | 'running' | 'done'
  /** Parts of commits erased since the server started. */
  readonly parts: number
}

const PENDING: ErasureProgress = { state: 'pending', parts: 0 }

@scoped(Lifecycle.ContainerScoped)
export class ErasureProcess {
  readonly #states = new Map<string, ErasureProgress>()
  #deletions: number[] = []
  #before = EMPTY_ERASURE_CHECKPOINT
  #ordersUpTo = 0
  /** True after all deletions before the start were found. */
  #hasFoundDeletions = false
  #targets: ErasureTargets | undefined
  #working: Promise<void> = Promise.resolve()
  #stopped = false
  #secretsErased = 0

  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader & LogMaintenance,
    private readonly views: Views,
    private readonly committer: Committer,
    private readonly deadlines: Deadlines
  ) {}

  /** The newest commit with erased parts, as far as this server knows. */
  get erasedUpTo(): number {
    const ordered = this.views.erasures.list.map(({ erasure }) => erasure.UpTo)
    return ordered.reduce((newest, index) => Math.max(newest, index), this.#secretsErased)
  }

  stateOf(key: string): ErasureProgress {
    return this.#states.get(key) ?? PENDING
  }

  /** Starts with all orders, including executed ones, since an old file may have been restored. */
  start(targets: ErasureTargets): void {
    this.#targets = targets
    this.deadlines.on(SECRETS, keys => this.#queue(() => this.#eraseSecrets(keys.map(Number))))
    this.deadlines.on(RETRY, () => this.#queue(() => this.#executeOrders()))
    const { signals } = this.committer
    this.committer.on(ERASURE_TOPIC, () => this.#executeWhenDurable())
    for (const topic of SECRET_TOPICS)
      this.committer.on(topic, (event, { Index, Time }) => {
        if (lifecycles.isEnding(event)) this.#schedule(Index, Time)
      })
    signals.on('swapped', () => {
      this.#deletions = []
      this.#states.clear()
      this.#hasFoundDeletions = false
      signals.once('rebuilt', () => this.#restart(targets))
    })
    this.#restart(targets)
  }

  #restart(targets: ErasureTargets): void {
    this.#queue(async () => {
      this.#before = await targets.checkpoint.read()
      this.#secretsErased = this.#before.newestSecrets
      this.#ordersUpTo = 0
      await this.#executeOrders()
    })
    this.#queue(() => this.#resume(targets))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#working
    // Without the checkpoint, the next start repeats work.
    if (this.#targets) await this.#writeCheckpoint(this.#targets).catch(this.#targets.onFailure)
  }

  async idle(): Promise<void> {
    await this.#working
  }

  #executeWhenDurable(): void {
    this.committer.durable().then(
      () => this.#queue(() => this.#executeOrders()),
      // The order is not in the log.
      () => {}
    )
  }

  /** Erases the secrets of the resources that a commit has deleted, once they have been retained long enough. */
  #schedule(index: number, time: string): void {
    // A commit may delete many resources.
    if (!this.#targets || this.#deletions.at(-1) === index) return
    this.#deletions.push(index)
    this.deadlines.at((parseTime(time) ?? 0) + this.#targets.secretsAfter, SECRETS, String(index))
  }

  #queue(work: () => Promise<void>): void {
    const before = this.#working
    this.#working = (async () => {
      await before
      if (this.#stopped) return
      try {
        await work()
      } catch (error) {
        if (this.#stopped) return
        this.#targets?.onFailure(error)
        this.deadlines.after(RETRY_MS, RETRY, '')
      }
    })()
  }

  async #executeOrders(): Promise<void> {
    const open = this.views.erasures.list.filter(({ key }) => this.stateOf(key).state !== 'done')
    const durable = open.filter(({ index }) => index <= this.log.durableIndex)
    const newest = durable.findLast(({ erasure }) => !isOriginErasure(erasure))
    // Before the removal of data that a replay needs.
    if (newest) await this.#targets?.supersede(newest.index, true)
    if (durable.length > 0) await this.#targets?.eraseElsewhere(durable)
    for (const order of durable) if (!this.#stopped) await this.#erase(order)
    if (this.#stopped) return
    this.#ordersUpTo = Math.max(this.#ordersUpTo, durable.at(-1)?.index ?? 0)
    if (durable.length > 0 && this.#targets) await this.#writeCheckpoint(this.#targets)
  }

  async #erase({ key, index, erasure }: OrderedErasure): Promise<void> {
    let { parts } = this.stateOf(key)
    this.#states.set(key, { state: 'running', parts })
    let group: CommitErasure[] = []
    const flush = async (): Promise<void> => {
      parts += await this.log.erase(group)
      this.#targets?.onErased()
      group = []
      this.#states.set(key, { state: 'running', parts })
    }
    for await (const erasing of this.#partsOf(index, erasure)) {
      if (group.push(erasing) === PARTS_PER_WRITE) await flush()
      if (this.#stopped) return
    }
    await flush()
    this.#states.set(key, { state: 'done', parts })
    this.views.watch.touch('erasures')
  }

  /** For an order executed before the start, returns only the parts in files that have changed since. */
  async *#partsOf(index: number, erasure: Erasure): AsyncGenerator<CommitErasure> {
    const { ordersUpTo, files } = this.#before
    const ranges =
      index <= ordersUpTo && this.#targets
        ? commitsChangedSince(files, await this.#targets.files())
        : undefined
    yield* partsToEraseBy(this.log, erasure, lifecycles, ranges)
    if (!isOriginErasure(erasure)) yield* responsesAbout(this.log, this.views.keptAnswers, erasure)
  }

  /** Finds the deletions since the last checkpoint, at first in the whole log, yielding between pages. */
  async #resume(targets: ErasureTargets): Promise<void> {
    const last = this.log.durableIndex
    const from = Math.max(this.#before.secretsUpTo + 1, this.log.firstIndex)
    const known = new Set(this.#deletions)
    for await (const records of this.log.records(from, { topics: [...SECRET_TOPICS] })) {
      const earlier = records.filter(({ index }) => index <= last)
      for (const record of earlier) {
        if (this.#stopped) return
        if (!known.has(record.index) && deletionsAmong(record.events()).length > 0)
          this.#schedule(record.index, record.time)
      }
      if (earlier.length < records.length) break
      await setImmediate()
    }
    this.#hasFoundDeletions = true
    await this.#writeCheckpoint(targets)
  }

  /** The next start finds the remaining work in the log. */
  async #writeCheckpoint({ checkpoint, files }: ErasureTargets): Promise<void> {
    const secretsUpTo = this.#hasFoundDeletions
      ? this.#deletions.reduce((least, index) => Math.min(least, index - 1), this.log.durableIndex)
      : this.#before.secretsUpTo
    const ordersUpTo = this.#ordersUpTo
    await checkpoint.write({
      secretsUpTo,
      ordersUpTo,
      files: ordersUpTo > 0 ? await files() : [],
      newestSecrets: this.#secretsErased
    })
  }

  async #eraseSecrets(indexes: readonly number[]): Promise<void> {
    const targets = this.#targets
    const due = new Set(indexes.filter(index => index <= this.log.durableIndex))
    if (!targets || due.size === 0) return
    try {
      const parts: CommitErasure[] = []
      const ended: DeletedResource[] = []
      for (const index of due) {
        for await (const part of secretsDeletedBy(this.log, index)) parts.push(part)
        ended.push(...(await resourcesDeletedBy(this.log, index)))
      }
      await targets.eraseSecretsElsewhere(ended)
      if (parts.length > 0) await targets.supersede(Math.max(...due), false)
      for (let at = 0; at < parts.length; at += PARTS_PER_WRITE)
        await this.log.erase(parts.slice(at, at + PARTS_PER_WRITE))
      if (parts.length > 0) targets.onErased()
      this.#secretsErased = parts.reduce((newest, { index }) => Math.max(newest, index), this.#secretsErased)
    } catch (error) {
      for (const index of due) this.deadlines.after(RETRY_MS, SECRETS, String(index))
      throw error
    }
    this.#deletions = this.#deletions.filter(index => !due.has(index))
    await this.#writeCheckpoint(targets)
  }
}
