// The only source of time. Decisions never look at it: the time of a command arrives with the command.
import { Lifecycle, scoped } from 'tsyringe'

@scoped(Lifecycle.ContainerScoped)
export class Clock {
  /** Epoch milliseconds by the clock of the machine, which somebody may set: for what ends at a date. */
  now(): number {
    return Date.now()
  }

  /**
   * Milliseconds since some moment, with a fraction; nobody sets this clock: for how long something takes or
   * lasts.
   */
  elapsed(): number {
    return performance.now()
  }
}

// What timers can take.

/** A timer of more than this fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * A signal that aborts after so many milliseconds. Fractions and times beyond what a timer can take, which
 * `AbortSignal.timeout` refuses, become the next that it does.
 */
export const abortAfter = (ms: number): AbortSignal =>
  AbortSignal.timeout(Math.min(Math.max(Math.ceil(ms), 0), LONGEST_TIMER_MS))
