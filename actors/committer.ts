// Turns events into commits: applied to the read models at once, then appended to the log until durable.
import { EventEmitter } from 'eventemitter3'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { createActor, type ActorRefFrom } from 'xstate'
import type { Commit, IdempotentResponse, Tenancy } from '../events/envelope.js'
import { LogFailure, type LogReader, type LogWriter, type WriteAdmission } from '../events/log/log.js'
import { restore } from '../projections/restore-views.js'
import { Views } from '../projections/read-models.js'
import { NO_REMOVALS, type PreparedRemoval } from './aggregate.js'
import { logHealthMachine, admissionIn } from './log-health.js'
import { CommitTopics, type EventListener } from './commit-topics.js'
import {
  DurabilityBarrier,
  type DurabilityTimeout,
  type DurabilityCallback,
  PendingWrites
} from './durability-barrier.js'
import { EVENT_LOG, RESTORE, type Restore } from './ports.js'
import { Refusal } from './refusal.js'

/**
 * In-process signals. `applied`: the read models contain this commit. `rebuilt`: they were rebuilt from the
 * log. `swapped`: another log has replaced the previous one, and the read models are about to be rebuilt.
 */
interface CommitterSignals {
  applied: [commit: Commit]
  rebuilt: []
  swapped: []
  writable: []
  broken: [error: unknown]
}

interface CommitOptions {
  /** True if it deletes resources, and is accepted on a full disk. */
  readonly frees?: boolean
  /** Events that are handled together. */
  readonly removals?: readonly PreparedRemoval[]
  /** Returns the idempotent response to store with the commit, from the state after it; must not throw. */
  readonly answer?: (() => IdempotentResponse) | undefined
}

const unavailable = (hint?: string): Refusal =>
  new Refusal(
    'log.unavailable',
    hint === undefined
      ? 'The log cannot be written now: nothing was changed; try again later'
      : `The log cannot be written now, ${hint}: nothing was changed`
  )

const fullDisk = (): Refusal => unavailable('the disk is full and takes only deletions')

const unknown = (): Refusal =>
  new Refusal(
    'log.outcome-unknown',
    'The outcome is not known: the log failed while the change was being written; see whether it is there before you repeat it'
  )

@scoped(Lifecycle.ContainerScoped)
export class Committer {
  readonly signals = new EventEmitter<CommitterSignals>()
  readonly #topics = new CommitTopics()
  readonly #restore: Restore
  readonly #health: ActorRefFrom<ReturnType<typeof logHealthMachine>>
  readonly #pending = new PendingWrites()
  readonly #waiting = new DurabilityBarrier()
  #flushed: Promise<void> | undefined
  #admission: WriteAdmission = 'all'
  #limitAdmission: string | undefined
  #readable = true
  #whenReadable: (() => void)[] = []
  #swapLog = async (): Promise<void> => {}

  constructor(
    @inject(EVENT_LOG) private readonly log: LogWriter & LogReader,
    private readonly views: Views,
    @inject(RESTORE, { isOptional: true }) customRestore?: Restore
  ) {
    this.#restore = customRestore ?? (async empty => void (await restore(empty, log)))
    log.onDurable(this.#release)
    this.#health = createActor(
      logHealthMachine({
        rebuild: () => this.rebuild(),
        recover: () => log.recover(),
        swap: () => this.#swapLog()
      })
    )
    this.#health.subscribe({
      next: ({ value, status }) => {
        this.#admission = admissionIn(value)
        if (this.isWritable) this.signals.emit('writable')
        if (status === 'done')
          this.signals.emit('broken', new Error('the read models cannot be rebuilt from the log'))
      },
      error: error => this.signals.emit('broken', error)
    })
    this.#health.start()
  }

  /** Calls the listener with each event of a topic once the read models contain its commit. Returns a function that unsubscribes. */
  on(topic: string, listener: EventListener): () => void {
    return this.#topics.on(topic, listener)
  }

  get isReadable(): boolean {
    return this.#readable
  }

  readable(): Promise<void> {
    return this.#readable ? Promise.resolve() : new Promise(resolve => this.#whenReadable.push(resolve))
  }

  get writeAdmission(): WriteAdmission {
    return this.#admission
  }

  get isWritable(): boolean {
    return this.#admission !== 'none'
  }

  /** Resolves when the log accepts commits and the outcome of earlier ones is known, or at the abort. */
  writable(signal?: AbortSignal): Promise<void> {
    if (this.isWritable || signal?.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const done = (): void => {
        this.signals.off('writable', done)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      this.signals.on('writable', done)
      signal?.addEventListener('abort', done)
    })
  }

  /** @throws Refusal `unavailable` while the log accepts no commit */
  assertWritable(): void {
    if (this.#admission === 'none') throw unavailable()
  }

  /**
   * Applies the commit with the next index and appends it to the log, without waiting until it is durable.
   * @throws Refusal `unavailable` when the disk is full and the commit deletes nothing
   */
  commit(commit: Commit, { frees = false, removals = NO_REMOVALS, answer }: CommitOptions = {}): void {
    if (!frees && this.#admission === 'deletions') throw fullDisk()
    if (!frees && this.#limitAdmission !== undefined) throw unavailable(this.#limitAdmission)
    this.views.apply(commit, removals)
    this.#pending.note(commit, removals)
    const flushed = this.log.append([answer ? this.#answered(commit, answer()) : commit], { frees })
    if (flushed !== this.#flushed) {
      this.#flushed = flushed
      flushed.catch(error => this.#fail(error))
    }
    this.#announce(commit, removals)
  }

  /** Accepts only deletions and refuses others for this reason, a clause; undefined accepts all again. */
  limit(reason: string | undefined): void {
    this.#limitAdmission = reason
  }

  /** Applies commits of the leader, which are durable. The caller makes the log announce them right after. */
  follow(commits: readonly Commit[]): void {
    for (const commit of commits) {
      this.views.apply(commit)
      this.#announce(commit)
    }
  }

  /**
   * Retries writing the leader's records to the log while the log accepts nothing, until the signal aborts.
   * @param ingest passes the records to the log, which passes the commits to `apply`: see `StoredLog.ingest`
   * @throws what `ingest` throws, except LogFailure
   */
  async ingest(
    ingest: (apply: (commits: readonly Commit[]) => void) => Promise<void>,
    signal: AbortSignal
  ): Promise<void> {
    while (!signal.aborted)
      try {
        await this.writable(signal)
        if (this.isWritable && !signal.aborted) return await ingest(commits => this.follow(commits))
      } catch (error) {
        if (!(error instanceof LogFailure)) throw error
        // Otherwise the log refused commits that the read models contain, and these are about to be rebuilt.
        if (this.isDurable()) this.#health.send({ type: 'Stalled' })
      }
  }

  #announce(commit: Commit, removals = NO_REMOVALS): void {
    this.signals.emit('applied', commit)
    this.#topics.dispatch(commit, removals)
  }

  #answered(commit: Commit, Answer: IdempotentResponse): Commit {
    this.views.storeIdempotentResponse(Answer)
    return { ...commit, Answer }
  }

  isDurable(): boolean {
    return this.log.durableIndex >= this.views.index
  }

  /**
   * Resolves when the present commits of the read models are on disk.
   * @throws Refusal `unavailable` when the log failed before that; `unknown` when the commits may be on disk or not
   */
  durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.whenDurable(undefined, failure => (failure ? reject(failure) : resolve()))
    })
  }

  /** As `durable`, without promises: calls `settled`, at once when nothing is pending. @param tenancies waits only for commits that these can see */
  whenDurable(tenancies: readonly Tenancy[] | undefined, settled: DurabilityCallback): void {
    const index = tenancies ? this.#pending.newestIn(tenancies) : this.views.index
    if (this.log.durableIndex >= index) return settled()
    this.#waiting.await(index, settled)
  }

  /** Limits all waits for the log. A wait that exceeds the limit fails with an unknown outcome. */
  setDurabilityTimeout(timeout: DurabilityTimeout): void {
    this.#waiting.setTimeout(timeout)
  }

  async rebuild(): Promise<void> {
    this.#readable = false
    this.#pending.clear()
    await this.#restore(this.views)
    this.#readable = true
    for (const resolve of this.#whenReadable.splice(0)) resolve()
    this.signals.emit('rebuilt')
    this.views.watch.touchAll()
  }

  /**
   * Replaces the log while nothing is read or written, and rebuilds the read models from it.
   * @param work replaces the log
   * @throws Refusal as `durable`, and what `work` throws
   */
  async exchange(work: () => Promise<void>): Promise<void> {
    while (!this.isDurable()) await this.durable()
    this.assertWritable()
    if (this.#admission === 'deletions') throw fullDisk()
    return new Promise((resolve, reject) => {
      this.#swapLog = async () => {
        this.#readable = false
        try {
          await work()
          this.signals.emit('swapped')
          await this.rebuild()
          resolve()
        } catch (error) {
          reject(error)
          throw error
        }
      }
      this.#health.send({ type: 'Exchange' })
    })
  }

  /** Stops the writer; closing the log flushes the pending commits. */
  stop(): void {
    this.#admission = 'none'
    this.#health.stop()
  }

  readonly #release = (durable: number): void => {
    if (durable >= this.views.index) this.#pending.clear()
    const released = this.#waiting.upTo(durable)
    if (released.length === 0) return
    // The log begins its next flush first, so that the disk is busy while the responses are sent.
    queueMicrotask(() => {
      for (const { callback: settled } of released) settled()
    })
  }

  /** The first append that fails determines the outcome; the others follow it. */
  #fail(error: unknown): void {
    if (this.#admission === 'none') return
    this.#admission = 'none'
    const { outcome, upTo, hint } = error instanceof LogFailure ? error : new LogFailure(String(error))
    for (const { index, callback: settled } of this.#waiting.all())
      settled(outcome === 'unknown' && index <= upTo ? unknown() : unavailable(hint))
    this.#health.send({ type: 'Failed' })
  }
}
