// Looks whether the clock of the machine was set, beside the one that nobody sets. What has expired counts no
// longer at once; but a clock that was wrong for a moment must not delete anything.
import { EventEmitter } from 'eventemitter3'
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from './clock.js'

/** By less, clocks are set all the time, to keep up with others. */
const JUMP_MS = 5000
/** For how long a new time must have held before anything is removed because of it. */
const HOLD_MS = 60_000
const LOOK_EVERY_MS = 1000

/** `jumped`: the clock was set, by so many milliseconds; or the machine slept. */
interface ClockSignals {
  jumped: [ms: number]
}

@scoped(Lifecycle.ContainerScoped)
export class ClockWatch {
  readonly signals = new EventEmitter<ClockSignals>()
  /** How far the two clocks are apart. */
  #apart: number
  /** A time of `Clock.elapsed`. A start is when a clock is wrong the most often. */
  #steadyFrom: number
  #looking: NodeJS.Timeout | undefined

  constructor(private readonly clock: Clock) {
    this.#apart = clock.now() - clock.elapsed()
    this.#steadyFrom = clock.elapsed() + HOLD_MS
  }

  start(): void {
    this.#looking = setInterval(() => this.look(), LOOK_EVERY_MS)
    this.#looking.unref()
  }

  stop(): void {
    clearInterval(this.#looking)
  }

  look(): void {
    const apart = this.clock.now() - this.clock.elapsed()
    const jump = apart - this.#apart
    this.#apart = apart
    if (Math.abs(jump) <= JUMP_MS) return
    this.#steadyFrom = this.clock.elapsed() + HOLD_MS
    this.signals.emit('jumped', jump)
  }

  /** For how many more milliseconds nothing may be removed by the time of now; 0 when it may. */
  get unsteadyFor(): number {
    this.look()
    return Math.max(this.#steadyFrom - this.clock.elapsed(), 0)
  }
}
