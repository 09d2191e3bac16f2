// Carries out what was ordered to be erased, and erases the secrets of what has ended. It can end anywhere: what is left to be done is
// found again in the log.
import { setImmediate } from 'node:timers/promises'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Commit } from '../../events/envelope.js'
import { isErasureEvent, isOriginErasure, type Erasure } from '../../events/erasure.js'
import type { CommitErasure } from '../../events/commit-erasure.js'
import type { EventLog } from '../../events/log/log.js'
import { parseTime } from '../../events/time.js'
import type { OrderedErasure } from '../../projections/erasures.js'
import { Views } from '../../projections/read-models.js'
import { lifecycles } from '../aggregates.js'
import { Committer } from '../committer.js'
import { Deadlines } from '../deadlines.js'
import { EVENT_LOG } from '../ports.js'
import {
  resourcesDeletedBy,
  deletionsAmong,
  secretsDeletedBy,
  type DeletedResource
} from './deleted-secrets.js'
import { responsesAbout } from './responses-to-erase.js'
import {
  commitsChangedSince,
  EMPTY_ERASURE_CHECKPOINT,
  type ErasureCheckpoint,
  type LogFileStamp
} from './erasure-checkpoint.js'
import { partsToEraseBy } from './parts-to-erase.js'
import { SECRET_TOPICS } from './secret-topics.js'

const SECRETS = 'erasure of secrets'
const RETRY = 'erasure'
/** How long to wait before what has failed is tried again, in ms. */
const RETRY_MS = 60_000
/** Commits that are erased from at once. */
const AT_ONCE = 256

/** What else of a server holds what is erased. */
export interface ErasureTargets {
  /** How long the secrets of what has ended are kept, in ms. */
  readonly secretsAfter: number
  /**
   * Makes sure that no state of before an index is kept beside the log: snapshots and the base are made anew.
   * @param needsBase whether the commits up to the index can no longer be replayed
   */
  readonly supersede: (index: number, needsBase: boolean) => Promise<void>
  /** Erases in what else the server keeps: copies of what was cut off the log, attempts that were denied. */
  readonly eraseElsewhere: (orders: readonly OrderedErasure[]) => Promise<void>
  /** Erases the secrets of things that have ended in the copies of what was cut off the log. */
  readonly eraseSecretsElsewhere: (ended: readonly DeletedResource[]) => Promise<void>
  /** Drops what is kept in memory of commits. */
  readonly onErased: () => void
  /** Told why something could not be erased. It is tried again. */
  readonly onFailure: (error: unknown) => void
  /** How far erasing has come, as it was written last. */
  readonly mark: { read(): Promise<ErasureCheckpoint>; write(mark: ErasureCheckpoint): Promise<void> }
  /** The files of the log as they are, ascending; none for a log that is kept nowhere. */
  readonly files: () => Promise<readonly LogFileStamp[]>
}

/** How far an order is carried out by this server. */
interface ErasureProgress {
  readonly state: 'pending' | 'running' | 'done'
  /** Parts of commits that were erased for it since the server started. */
  readonly parts: number
}

const PENDING: ErasureProgress = { state: 'pending', parts: 0 }

@scoped(Lifecycle.ContainerScoped)
export class ErasureProcess {
  readonly #states = new Map<string, ErasureProgress>()
  /** Commits that end something with secrets, ascending. */
  #ends: number[] = []
  /** As of the start. */
  #before = EMPTY_ERASURE_CHECKPOINT
  #ordersUpTo = 0
  /** Whether all that had ended before the start was found. */
  #hasFound = false
  #host: ErasureTargets | undefined
  #working: Promise<void> = Promise.resolve()
  #stopped = false
  /** The newest commit whose secrets were erased; 0 for none. */
  #secretsErased = 0

  constructor(
    @inject(EVENT_LOG) private readonly log: EventLog,
    private readonly views: Views,
    private readonly committer: Committer,
    private readonly deadlines: Deadlines
  ) {}

  /** The newest commit of which something was erased, as far as this server knows. */
  get erasedUpTo(): number {
    const ordered = this.views.erasures.list.map(({ erasure }) => erasure.UpTo)
    return ordered.reduce((newest, index) => Math.max(newest, index), this.#secretsErased)
  }

  /** How far an order is carried out. @param key `OrderedErasure.key` */
  stateOf(key: string): ErasureProgress {
    return this.#states.get(key) ?? PENDING
  }

  /** Begins with all orders that there are, whether they were carried out before or not: a file may have been put back since. */
  start(host: ErasureTargets): void {
    this.#host = host
    this.deadlines.on(SECRETS, keys => this.#queue(() => this.#eraseSecrets(keys.map(Number))))
    this.deadlines.on(RETRY, () => this.#queue(() => this.#carryOut()))
    const { signals } = this.committer
    signals.on('applied', commit => this.#note(commit))
    signals.on('swapped', () => {
      this.#ends = []
      this.#states.clear()
      this.#hasFound = false
      signals.once('rebuilt', () => this.#restart(host))
    })
    this.#restart(host)
  }

  #restart(host: ErasureTargets): void {
    this.#queue(async () => {
      this.#before = await host.mark.read()
      this.#secretsErased = this.#before.newestSecrets
      this.#ordersUpTo = 0
      await this.#carryOut()
    })
    this.#queue(() => this.#resume(host))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#working
    // Without it the next start looks again at more than it must.
    if (this.#host) await this.#mark(this.#host).catch(this.#host.onFailure)
  }

  /** Resolves when nothing is being erased. */
  async idle(): Promise<void> {
    await this.#working
  }

  #note(commit: Commit): void {
    if (commit.Events.some(isErasureEvent)) {
      this.committer.durable().then(
        () => this.#queue(() => this.#carryOut()),
        // It is not in the log.
        () => {}
      )
      return
    }
    this.#schedule(commit)
  }

  #schedule({ Index, Time, Events }: Pick<Commit, 'Index' | 'Time' | 'Events'>): void {
    if (!this.#host || deletionsAmong(Events).length === 0) return
    this.#ends.push(Index)
    this.deadlines.at((parseTime(Time) ?? 0) + this.#host.secretsAfter, SECRETS, String(Index))
  }

  /** One after another. */
  #queue(work: () => Promise<void>): void {
    const before = this.#working
    this.#working = (async () => {
      await before
      if (this.#stopped) return
      try {
        await work()
      } catch (error) {
        if (this.#stopped) return
        this.#host?.onFailure(error)
        this.deadlines.after(RETRY_MS, RETRY, '')
      }
    })()
  }

  async #carryOut(): Promise<void> {
    const open = this.views.erasures.list.filter(({ key }) => this.stateOf(key).state !== 'done')
    const durable = open.filter(({ index }) => index <= this.log.durableIndex)
    const newest = durable.findLast(({ erasure }) => !isOriginErasure(erasure))
    // Before anything is gone that a replay would need.
    if (newest) await this.#host?.supersede(newest.index, true)
    if (durable.length > 0) await this.#host?.eraseElsewhere(durable)
    for (const order of durable) if (!this.#stopped) await this.#erase(order)
    if (this.#stopped) return
    this.#ordersUpTo = Math.max(this.#ordersUpTo, durable.at(-1)?.index ?? 0)
    if (durable.length > 0 && this.#host) await this.#mark(this.#host)
  }

  async #erase({ key, index, erasure }: OrderedErasure): Promise<void> {
    let { parts } = this.stateOf(key)
    this.#states.set(key, { state: 'running', parts })
    let group: CommitErasure[] = []
    const flush = async (): Promise<void> => {
      parts += await this.log.erase(group)
      this.#host?.onErased()
      group = []
      this.#states.set(key, { state: 'running', parts })
    }
    for await (const erasing of this.#partsOf(index, erasure)) {
      if (group.push(erasing) === AT_ONCE) await flush()
      if (this.#stopped) return
    }
    await flush()
    this.#states.set(key, { state: 'done', parts })
    this.views.watch.touch('erasures')
  }

  /** Of an order that was carried out before the start, what is in files that have changed since. */
  async *#partsOf(index: number, erasure: Erasure): AsyncGenerator<CommitErasure> {
    const { ordersUpTo, files } = this.#before
    const ranges =
      index <= ordersUpTo && this.#host ? commitsChangedSince(files, await this.#host.files()) : undefined
    yield* partsToEraseBy(this.log, erasure, lifecycles, ranges)
    if (!isOriginErasure(erasure)) yield* responsesAbout(this.log, this.views.keptAnswers, erasure)
  }

  /** Finds what has ended since the last mark. The first time that is all that the log tells; whatever has arrived comes between two pages. */
  async #resume(host: ErasureTargets): Promise<void> {
    const last = this.log.durableIndex
    const from = Math.max(this.#before.secretsUpTo + 1, this.log.firstIndex)
    const known = new Set(this.#ends)
    for await (const records of this.log.recordsOf(SECRET_TOPICS, from)) {
      for (const record of records) {
        if (record.index > last || this.#stopped) return
        if (!known.has(record.index))
          this.#schedule({ Index: record.index, Time: record.time, Events: record.events() })
      }
      await setImmediate()
    }
    this.#hasFound = true
    await this.#mark(host)
  }

  /** What is still to be erased is found again by the next start. */
  async #mark({ mark, files }: ErasureTargets): Promise<void> {
    const secretsUpTo = this.#hasFound
      ? this.#ends.reduce((least, index) => Math.min(least, index - 1), this.log.durableIndex)
      : this.#before.secretsUpTo
    const ordersUpTo = this.#ordersUpTo
    await mark.write({
      secretsUpTo,
      ordersUpTo,
      files: ordersUpTo > 0 ? await files() : [],
      newestSecrets: this.#secretsErased
    })
  }

  async #eraseSecrets(indexes: readonly number[]): Promise<void> {
    const host = this.#host
    const due = new Set(indexes.filter(index => index <= this.log.durableIndex))
    if (!host || due.size === 0) return
    try {
      const parts: CommitErasure[] = []
      const ended: DeletedResource[] = []
      for (const index of due) {
        for await (const part of secretsDeletedBy(this.log, index)) parts.push(part)
        ended.push(...(await resourcesDeletedBy(this.log, index)))
      }
      await host.eraseSecretsElsewhere(ended)
      if (parts.length > 0) await host.supersede(Math.max(...due), false)
      for (let at = 0; at < parts.length; at += AT_ONCE) await this.log.erase(parts.slice(at, at + AT_ONCE))
      if (parts.length > 0) host.onErased()
      this.#secretsErased = parts.reduce((newest, { index }) => Math.max(newest, index), this.#secretsErased)
    } catch (error) {
      for (const index of due) this.deadlines.after(RETRY_MS, SECRETS, String(index))
      throw error
    }
    this.#ends = this.#ends.filter(index => !due.has(index))
    await this.#mark(host)
  }
}
