// A running clock that leaves out times in which this thread could not run, so that a suspended or busy machine ends no deadline of a server.
import { SetClock } from '../../library/testing/set-clock.js'
import type { Scope } from './process.js'

const TICK_MS = 50
/** A longer time between two ticks counts as this much. */
const LONGEST_MS = 250

export class UnsuspendedClock extends SetClock {
  #last = performance.now()
  #omitted = 0

  /** @param scope ends the ticks */
  constructor(scope: Scope) {
    super()
    const ticks = setInterval(() => this.#tick(), TICK_MS).unref()
    scope.teardown(() => clearInterval(ticks))
  }

  override now(): number {
    this.#tick()
    return super.now() - this.#omitted
  }

  override elapsed(): number {
    this.#tick()
    return super.elapsed() - this.#omitted
  }

  #tick(): void {
    const now = performance.now()
    this.#omitted += Math.max(0, Math.floor(now - this.#last - LONGEST_MS))
    this.#last = now
  }
}
