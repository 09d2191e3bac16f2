// A clock that runs as the real one does, from a time that the test chooses.
import { Clock } from '../../actors/clock.js'

export class SetClock extends Clock {
  #ahead = 0

  override now(): number {
    return super.now() + this.#ahead
  }

  /** Moves the clock by `ms`, forth or back. */
  advance(ms: number): void {
    this.#ahead += ms
  }
}
