import { setTimeout as after } from 'node:timers/promises'

export interface TimerPort {
  /** Ms of the monotonic clock, as `Clock.elapsed`. */
  elapsed(): number
  /** Resolves after so many ms, or when the signal aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemTimers: TimerPort = {
  elapsed: () => performance.now(),
  pause: (ms, signal) => after(ms, undefined, signal && { signal }).catch(() => {})
}
