// Those who wait until something is on disk, and are told when nobody can say in time whether it is.
import type { Clock } from './clock.js'
import { leaderLost, type Refusal } from './refusal.js'
import type { Timers } from './timers.js'
import { Waiters } from './waiters.js'

/** Told, once, that what was waited for is on disk, or why it never will be. */
export type DurabilityCallback = (failure?: Refusal) => void

interface DurableWait {
  readonly index: number
  /** By `Clock.elapsed`; 0 where nobody is to be told that it takes long. */
  readonly since: number
  readonly callback: DurabilityCallback
}

/** How long anybody waits for the log, and by which clock. */
export interface DurabilityTimeout {
  readonly ms: number
  readonly clock: Pick<Clock, 'elapsed'>
  readonly timers: Pick<Timers, 'setTimeout'>
}

export class DurabilityBarrier {
  readonly #waiters = new Waiters<DurableWait>()
  #hold: DurabilityTimeout | undefined
  #looksAfterHold = false

  add(index: number, settled: DurabilityCallback): void {
    this.#waiters.add({ index, since: this.#hold?.clock.elapsed() ?? 0, callback: settled })
    if (this.#hold && !this.#looksAfterHold) this.#lookIn(this.#hold, this.#hold.ms)
  }

  /** From now on nobody waits longer: whoever does is told that the outcome is not known, while it is not. */
  setTimeout(hold: DurabilityTimeout): void {
    this.#hold = hold
  }

  /** Takes out those that wait for nothing later. */
  upTo(index: number): readonly DurableWait[] {
    return this.#waiters.upTo(index)
  }

  /** Takes out all. */
  all(): readonly DurableWait[] {
    return this.#waiters.all()
  }

  #lookIn(hold: DurabilityTimeout, ms: number): void {
    this.#looksAfterHold = true
    hold.timers.setTimeout(() => this.#endHolds(hold), ms)
  }

  #endHolds(hold: DurabilityTimeout): void {
    const began = hold.clock.elapsed() - hold.ms
    for (const { callback: settled } of this.#waiters.those(({ since }) => since <= began))
      settled(leaderLost())
    this.#looksAfterHold = false
    const oldest = Math.min(...[...this.#waiters].map(({ since }) => since))
    if (oldest < Infinity) this.#lookIn(hold, oldest - began)
  }
}
