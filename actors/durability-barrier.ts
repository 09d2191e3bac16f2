// Waits until commits are on disk, with a timeout after which the outcome is unknown.
import type { Clock } from './clock.js'
import { leaderLost, type Refusal } from './refusal.js'
import type { Timers } from './timers.js'
import { Waiters } from './waiters.js'

/** Called once, when the commit is on disk or with the reason why it will not be known. */
export type DurabilityCallback = (failure?: Refusal) => void

interface DurableWait {
  readonly index: number
  /** By `Clock.elapsed`; 0 without a timeout. */
  readonly since: number
  readonly callback: DurabilityCallback
}

/** Limit of a wait for the log, and the clock that measures it. */
export interface DurabilityTimeout {
  readonly ms: number
  readonly clock: Pick<Clock, 'elapsed'>
  readonly timers: Pick<Timers, 'setTimeout'>
}

export class DurabilityBarrier {
  readonly #waiters = new Waiters<DurableWait>()
  #timeout: DurabilityTimeout | undefined
  #isScheduled = false

  add(index: number, settled: DurabilityCallback): void {
    this.#waiters.add({ index, since: this.#timeout?.clock.elapsed() ?? 0, callback: settled })
    if (this.#timeout && !this.#isScheduled) this.#scheduleCheck(this.#timeout, this.#timeout.ms)
  }

  /** A wait that exceeds the timeout fails with an unknown outcome. */
  setTimeout(timeout: DurabilityTimeout): void {
    this.#timeout = timeout
  }

  /** Removes and returns the waits up to an index. */
  upTo(index: number): readonly DurableWait[] {
    return this.#waiters.upTo(index)
  }

  /** Removes and returns all waits. */
  all(): readonly DurableWait[] {
    return this.#waiters.all()
  }

  #scheduleCheck(timeout: DurabilityTimeout, ms: number): void {
    this.#isScheduled = true
    timeout.timers.setTimeout(() => this.#expire(timeout), ms)
  }

  #expire(timeout: DurabilityTimeout): void {
    const began = timeout.clock.elapsed() - timeout.ms
    for (const { callback: settled } of this.#waiters.matching(({ since }) => since <= began))
      settled(leaderLost())
    this.#isScheduled = false
    const oldest = Math.min(...[...this.#waiters].map(({ since }) => since))
    if (oldest < Infinity) this.#scheduleCheck(timeout, oldest - began)
  }
}
