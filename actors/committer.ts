// Turns events into commits: read models first, so that the next decision sees them; then the log; and only
// when the log has them on disk, whoever waits for them. This is the durable rule of the design in one place.
import { EventEmitter } from 'eventemitter3'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { createActor, type ActorRefFrom } from 'xstate'
import type { Commit, Tenancy } from '../events/envelope.js'
import type { IdempotentResponse } from '../events/idempotent-response.js'
import { LogFailure, type EventLog, type WriteAdmission } from '../events/log/log.js'
import { restore } from '../projections/restore-views.js'
import { Views } from '../projections/read-models.js'
import { logHealthMachine, admissionIn } from './log-health.js'
import { DurabilityBarrier, type DurabilityTimeout, type DurabilityCallback } from './durability-barrier.js'
import { EVENT_LOG, RESTORE, type Restore } from './ports.js'
import { PendingWrites } from './pending-writes.js'
import { Refusal } from './refusal.js'

/**
 * In-process signals. `applied`: the read models have this commit. `rebuilt`: they were made anew from the
 * log. `exchanged`: another log has taken the place of the one before, and they are about to be made from it.
 */
interface CommitterSignals {
  applied: [commit: Commit]
  rebuilt: []
  swapped: []
  broken: [error: unknown]
}

const unavailable = (hint?: string): Refusal =>
  new Refusal(
    'unavailable',
    hint === undefined
      ? 'The log cannot be written now: nothing was changed; try again later'
      : `The log cannot be written now, ${hint}: nothing was changed`
  )

const fullDisk = (): Refusal => unavailable('the disk is full and takes only deletions')

const unknown = (): Refusal =>
  new Refusal(
    'unknown',
    'The outcome is not known: the log failed while the change was being written; see whether it is there before you repeat it'
  )

@scoped(Lifecycle.ContainerScoped)
export class Committer {
  readonly signals = new EventEmitter<CommitterSignals>()
  readonly #restore: Restore
  readonly #health: ActorRefFrom<ReturnType<typeof logHealthMachine>>
  readonly #pending = new PendingWrites()
  readonly #waiting = new DurabilityBarrier()
  /** The newest flush, which commits may share. */
  #flushed: Promise<void> | undefined
  #admission: WriteAdmission = 'all'
  #limitAdmission: string | undefined
  #readable = true
  #whenReadable: (() => void)[] = []
  readonly #whenWritable = new Set<() => void>()
  #swapLog = async (): Promise<void> => {}

  constructor(
    @inject(EVENT_LOG) private readonly log: EventLog,
    private readonly views: Views,
    @inject(RESTORE, { isOptional: true }) given?: Restore
  ) {
    this.#restore = given ?? (async empty => void (await restore(empty, log)))
    log.onDurable(index => this.#release(index))
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
        if (this.isWritable) for (const resolve of this.#whenWritable) resolve()
        if (status === 'done')
          this.signals.emit('broken', new Error('the read models cannot be rebuilt from the log'))
      },
      error: error => this.signals.emit('broken', error)
    })
    this.#health.start()
  }

  /** False while the read models are being rebuilt from the log. */
  get isReadable(): boolean {
    return this.#readable
  }

  /** Resolves when the read models can be read. */
  readable(): Promise<void> {
    return this.#readable ? Promise.resolve() : new Promise(resolve => this.#whenReadable.push(resolve))
  }

  /** What the log takes now. */
  get room(): WriteAdmission {
    return this.#admission
  }

  /** False while the log takes nothing. */
  get isWritable(): boolean {
    return this.#admission !== 'none'
  }

  /** Resolves when the log takes something: what became of everything before is then certain. Also when the signal aborts. */
  writable(signal?: AbortSignal): Promise<void> {
    if (this.isWritable || signal?.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const done = (): void => {
        this.#whenWritable.delete(done)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      this.#whenWritable.add(done)
      signal?.addEventListener('abort', done)
    })
  }

  /** @throws Refusal `unavailable` while the log takes nothing */
  assertWritable(): void {
    if (this.#admission === 'none') throw unavailable()
  }

  /**
   * Applies a commit, whose index is the next one, and hands it to the log. It is not durable yet.
   * @param frees whether it ends things, and so is taken on a full disk as well
   * @param answer makes, of the state right after it, the answer that is kept with it; must not throw
   * @throws Refusal `unavailable` when the disk is full and it does not
   */
  commit(commit: Commit, frees = false, answer?: () => IdempotentResponse): void {
    if (!frees && this.#admission === 'deletions') throw fullDisk()
    if (!frees && this.#limitAdmission !== undefined) throw unavailable(this.#limitAdmission)
    this.views.apply(commit)
    this.#pending.note(commit)
    const flushed = this.log.append([answer ? this.#answered(commit, answer()) : commit], { frees })
    if (flushed !== this.#flushed) {
      this.#flushed = flushed
      flushed.catch(error => this.#fail(error))
    }
    this.signals.emit('applied', commit)
  }

  /** From now on only what ends things is taken, and everything else refused for a reason, as a clause; undefined takes all again. */
  limit(reason: string | undefined): void {
    this.#limitAdmission = reason
  }

  /** Applies commits that another server has decided. They are durable, and whoever calls has the log tell so right after. */
  follow(commits: readonly Commit[]): void {
    for (const commit of commits) {
      this.views.apply(commit)
      this.signals.emit('applied', commit)
    }
  }

  /**
   * Has the log take what another server has decided, and waits as long as it takes nothing; without it once the signal aborts.
   * @param ingest hands it to the log, which hands `apply` the commits: see `StoredLog.ingest`
   * @throws what `ingest` does, but LogFailure
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
        // Otherwise what the read models show was refused, and they are about to be made anew.
        if (this.isDurable()) this.#health.send({ type: 'Stalled' })
      }
  }

  #answered(commit: Commit, Answer: IdempotentResponse): Commit {
    this.views.storeIdempotentResponse(Answer)
    return { ...commit, Answer }
  }

  /** Whether everything that the read models show is on disk. */
  isDurable(): boolean {
    return this.log.durableIndex >= this.views.index
  }

  /**
   * Resolves when what the read models show at the time of the call is on disk.
   * @throws Refusal `unavailable` when the log failed before that; `unknown` when what is waited for may be
   *   on disk or not
   */
  durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.whenDurable(undefined, failure => (failure ? reject(failure) : resolve()))
    })
  }

  /**
   * As `settled`, without the cost of promises: `settled` is called, at once where nothing is to be waited
   * for.
   * @param tenancies waits only for what the read models show in these tenancies, and of things of no
   *   namespace
   */
  whenDurable(tenancies: readonly Tenancy[] | undefined, settled: DurabilityCallback): void {
    const index = tenancies ? this.#pending.newestIn(tenancies) : this.views.index
    if (this.log.durableIndex >= index) return settled()
    this.#waiting.add(index, settled)
  }

  /** From now on nobody waits longer for the log: whoever does is told that the outcome is not known, while it is not. */
  setDurabilityTimeout(hold: DurabilityTimeout): void {
    this.#waiting.setTimeout(hold)
  }

  /** Makes the read models anew from what is on disk. */
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
   * Has another log take the place of this one, while nothing is read or written, and makes the read models from it.
   * @param work replaces the log
   * @throws Refusal as `settled`, and what `work` throws
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

  /** Ends the writer's life; what was committed is flushed by closing the log. */
  stop(): void {
    this.#admission = 'none'
    this.#health.stop()
  }

  #release(durable: number): void {
    if (durable >= this.views.index) this.#pending.clear()
    const released = this.#waiting.upTo(durable)
    if (released.length === 0) return
    // The log first begins its next flush, so that the disk has work while the answers are sent.
    queueMicrotask(() => {
      for (const { callback: settled } of released) settled()
    })
  }

  /** The first of the appends that fail tells what became of them; the others follow it. */
  #fail(error: unknown): void {
    if (this.#admission === 'none') return
    this.#admission = 'none'
    const { outcome, upTo, hint } = error instanceof LogFailure ? error : new LogFailure(String(error))
    for (const { index, callback: settled } of this.#waiting.all())
      settled(outcome === 'unknown' && index <= upTo ? unknown() : unavailable(hint))
    this.#health.send({ type: 'Failed' })
  }
}
