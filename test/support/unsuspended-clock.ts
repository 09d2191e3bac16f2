// A running clock whose monotonic time leaves out times in which this thread could not run, so that a suspended or busy machine ends no
// lease and no wait of a server. Dates remain those of the machine, with which tests compare them.
import { SetClock } from '../../library/testing/set-clock.js'
import type { Scope } from './process.js'

const TICK_MS = 50
/** A longer time between two ticks is left out. */
const LONGEST_MS = 250
/** The server takes a larger difference between its clocks for a change of the date. */
const MOST_OMITTED_MS = 4000

export class UnsuspendedClock extends SetClock {
  #last = performance.now()
  #omitted = 0

  /** @param scope ends the ticks */
  constructor(scope: Scope) {
    super()
    const ticks = setInterval(() => this.#tick(), TICK_MS).unref()
    scope.teardown(() => clearInterval(ticks))
  }

  override elapsed(): number {
    this.#tick()
    return super.elapsed() - this.#omitted
  }

  #tick(): void {
    const now = performance.now()
    this.#omitted += Math.min(Math.max(0, now - this.#last - LONGEST_MS), MOST_OMITTED_MS)
    this.#last = now
  }
}
