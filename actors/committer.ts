// Turns events into commits: read models first, so that the next decision sees them; then the log; and only when the
// log has them on disk, whoever waits for them. This is the durable rule of the design in one place.
import { EventEmitter } from 'eventemitter3'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { createActor, type ActorRefFrom } from 'xstate'
import type { Commit, Tenancy } from '../events/envelope.js'
import type { EventLog } from '../events/log/log.js'
import { Views } from '../projections/views.js'
import { logHealthMachine } from './log-health.js'
import { EVENT_LOG } from './ports.js'
import { Reach } from './reach.js'
import { Refusal } from './refusal.js'

/** Told, once, that what was waited for is on disk, or why it never will be. */
export type Settled = (failure?: Refusal) => void

interface Waiter {
  readonly index: number
  readonly settled: Settled
}

/** In-process signals. `applied`: the read models have this commit. `rebuilt`: they were made anew from the log. */
export interface CommitterSignals {
  applied: [commit: Commit]
  rebuilt: []
  broken: [error: unknown]
}

const unavailable = (): Refusal =>
  new Refusal('unavailable', 'The log cannot be written now: nothing was changed; try again later')

@scoped(Lifecycle.ContainerScoped)
export class Committer {
  readonly signals = new EventEmitter<CommitterSignals>()
  readonly #log: EventLog
  readonly #views: Views
  readonly #health: ActorRefFrom<ReturnType<typeof logHealthMachine>>
  readonly #reach = new Reach()
  #waiters: Waiter[] = []
  /** The newest flush, which commits may share. */
  #flushed: Promise<void> | undefined
  #accepting = true
  #readable = true
  #whenReadable: (() => void)[] = []

  constructor(@inject(EVENT_LOG) log: EventLog, views: Views) {
    this.#log = log
    this.#views = views
    log.onDurable(index => this.#release(index))
    this.#health = createActor(
      logHealthMachine({ rebuild: () => this.rebuild(), recover: () => log.recover() })
    )
    this.#health.subscribe({
      next: ({ value, status }) => {
        this.#accepting = value === 'accepting'
        if (status === 'done')
          this.signals.emit('broken', new Error('the read models cannot be rebuilt from the log'))
      },
      error: error => this.signals.emit('broken', error)
    })
    this.#health.start()
  }

  /** Whether the log takes writes: false from a failure until it could be written again. */
  get isAccepting(): boolean {
    return this.#accepting
  }

  /** False while the read models are being rebuilt from the log. */
  get isReadable(): boolean {
    return this.#readable
  }

  /** Resolves when the read models can be read. */
  readable(): Promise<void> {
    return this.#readable ? Promise.resolve() : new Promise(resolve => this.#whenReadable.push(resolve))
  }

  /** False while the log cannot be written. */
  get isWritable(): boolean {
    return this.#accepting
  }

  /** @throws Refusal `unavailable` while the log cannot be written */
  assertWritable(): void {
    if (!this.#accepting) throw unavailable()
  }

  /** Applies a commit, whose index is the next one, and hands it to the log. It is not durable yet. */
  commit(commit: Commit): void {
    this.#views.apply(commit)
    this.#reach.note(commit)
    const flushed = this.#log.append([commit])
    if (flushed !== this.#flushed) {
      this.#flushed = flushed
      flushed.catch(() => this.#fail())
    }
    this.signals.emit('applied', commit)
  }

  /** Whether everything that the read models show is on disk. */
  isSettled(): boolean {
    return this.#log.durableIndex >= this.#views.index
  }

  /**
   * Resolves when what the read models show at the time of the call is on disk.
   * @throws Refusal `unavailable` when the log failed before that
   */
  settled(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.whenSettled(undefined, failure => (failure ? reject(failure) : resolve()))
    })
  }

  /**
   * As `settled`, without the cost of promises: `settled` is called, at once where nothing is to be waited for.
   * @param sight waits only for what the read models show in these tenancies, and of things of no namespace
   */
  whenSettled(sight: readonly Tenancy[] | undefined, settled: Settled): void {
    const index = sight ? this.#reach.newestIn(sight) : this.#views.index
    if (this.#log.durableIndex >= index) return settled()
    let at = this.#waiters.length
    while (at > 0 && (this.#waiters[at - 1]?.index ?? 0) > index) at--
    if (at === this.#waiters.length) this.#waiters.push({ index, settled })
    else this.#waiters.splice(at, 0, { index, settled })
  }

  /** Makes the read models anew from the log. */
  async rebuild(): Promise<void> {
    this.#readable = false
    this.#views.reset()
    this.#reach.clear()
    for await (const page of this.#log.pages(1)) for (const commit of page) this.#views.apply(commit)
    this.#readable = true
    for (const resolve of this.#whenReadable.splice(0)) resolve()
    this.signals.emit('rebuilt')
    this.#views.watch.touchAll()
  }

  /** Ends the writer's life; what was committed is flushed by closing the log. */
  stop(): void {
    this.#accepting = false
    this.#health.stop()
  }

  /** Waiters stand in the order of their indexes, so those released are always the first ones. */
  #release(durable: number): void {
    let count = 0
    while (count < this.#waiters.length && (this.#waiters[count]?.index ?? Infinity) <= durable) count++
    if (durable >= this.#views.index) this.#reach.clear()
    if (count === 0) return
    const released = this.#waiters.splice(0, count)
    // The log first begins its next flush, so that the disk has work while the answers are sent.
    queueMicrotask(() => {
      for (const { settled } of released) settled()
    })
  }

  #fail(): void {
    if (!this.#accepting) return
    this.#accepting = false
    for (const { settled } of this.#waiters.splice(0)) settled(unavailable())
    this.#health.send({ type: 'Failed' })
  }
}
