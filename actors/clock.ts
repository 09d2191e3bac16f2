// The only source of time. Decisions never read a clock: a command carries its time.
import { Lifecycle, scoped } from 'tsyringe'
import { EventEmitter } from 'eventemitter3'

@scoped(Lifecycle.ContainerScoped)
export class Clock {
  /** Epoch milliseconds by the machine's clock, which an operator may set: for dates. */
  now(): number {
    return Date.now()
  }

  /** Milliseconds of a monotonic clock, with a fraction: for durations. */
  elapsed(): number {
    return performance.now()
  }
}

/** Node fires a longer timer at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Time synchronization makes smaller corrections all the time. */
const JUMP_MS = 5000
/** How long a new time must have lasted before it may cause a deletion. */
const HOLD_MS = 60_000
const CHECK_INTERVAL_MS = 1000

interface ClockSignals {
  jumped: [ms: number]
}

@scoped(Lifecycle.ContainerScoped)
export class ClockWatch {
  readonly signals = new EventEmitter<ClockSignals>()
  /** Difference between the two clocks, milliseconds. */
  #offset: number
  /** By `Clock.elapsed`. The clock is most often wrong when the server starts. */
  #steadyFrom: number
  #interval: NodeJS.Timeout | undefined

  constructor(private readonly clock: Clock) {
    this.#offset = clock.now() - clock.elapsed()
    this.#steadyFrom = clock.elapsed() + HOLD_MS
  }

  start(): void {
    this.#interval = setInterval(() => this.look(), CHECK_INTERVAL_MS)
    this.#interval.unref()
  }

  stop(): void {
    clearInterval(this.#interval)
  }

  look(): void {
    const offset = this.clock.now() - this.clock.elapsed()
    const jump = offset - this.#offset
    this.#offset = offset
    if (Math.abs(jump) <= JUMP_MS) return
    this.#steadyFrom = this.clock.elapsed() + HOLD_MS
    this.signals.emit('jumped', jump)
  }

  /** Milliseconds until the current time may cause deletions; 0 when it already may. */
  get unsteadyFor(): number {
    this.look()
    return Math.max(this.#steadyFrom - this.clock.elapsed(), 0)
  }
}
