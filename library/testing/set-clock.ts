// A clock that tests control.
import { Clock } from '../../actors/clock.js'

export class SetClock extends Clock {
  readonly #runs: boolean
  readonly #began = { now: super.now(), elapsed: Math.floor(super.elapsed()) }
  #passed = 0
  #setBy = 0

  /** @param options.runs true to let time also pass by itself */
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

  /** Changes the system time by `ms` without elapsed time. */
  setBy(ms: number): void {
    this.#setBy += ms
  }
}
