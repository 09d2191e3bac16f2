// What timers can take.

/** A timer of more than this fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * A signal that aborts after so many milliseconds. Fractions and times beyond what a timer can take, which
 * `AbortSignal.timeout` refuses, become the next that it does.
 */
export const abortAfter = (ms: number): AbortSignal =>
  AbortSignal.timeout(Math.min(Math.max(Math.ceil(ms), 0), LONGEST_TIMER_MS))
