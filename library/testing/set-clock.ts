// A clock that the test sets.
import { Clock } from '../../actors/clock.js'

export class SetClock extends Clock {
  readonly #runs: boolean
  readonly #began = { now: super.now(), elapsed: Math.floor(super.elapsed()) }
  #passed = 0
  #setBy = 0

  /** @param options.runs whether time passes by itself too, as it really does */
  constructor({ runs = true }: { readonly runs?: boolean } = {}) {
    super()
    this.#runs = runs
  }

  override now(): number {
    return (this.#runs ? super.now() : this.#began.now) + this.#passed + this.#setBy
  }

  override elapsed(): number {
    return (this.#runs ? super.elapsed() : this.#began.elapsed) + this.#passed
  }

  /** Lets `ms` pass. */
  advance(ms: number): void {
    this.#passed += ms
  }

  /** Sets the clock of the machine by `ms`, forth or back, while no time passes. */
  setBy(ms: number): void {
    this.#setBy += ms
  }
}
