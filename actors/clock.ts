// The only source of time. Decisions never read a clock: a command carries its time.
import { Lifecycle, scoped } from 'tsyringe'

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

/**
 * Returns a signal that aborts after these milliseconds, rounded up and limited to what `AbortSignal.timeout`
 * accepts.
 */
export const abortAfter = (ms: number): AbortSignal =>
  AbortSignal.timeout(Math.min(Math.max(Math.ceil(ms), 0), LONGEST_TIMER_MS))
