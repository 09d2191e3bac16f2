// A log in memory whose flushes wait for the test, and fail on request.
import { MemoryEventLog } from '../../events/log/memory.js'

export interface GatedLog {
  readonly log: MemoryEventLog
  /** Holds flushes from now on. */
  hold(): void
  /** Completes the waiting flushes, and all later ones. */
  release(): void
  /** Fails the waiting flush, and every later one until `heal`. */
  fail(): void
  /** Completes later flushes again. */
  heal(): void
}

export const gatedLog = (): GatedLog => {
  let mode: 'open' | 'held' | 'failing' = 'open'
  let waiting: (() => void)[] = []
  const wake = (): void => {
    for (const go of waiting.splice(0)) go()
  }
  const log = new MemoryEventLog({
    beforeFlush: async () => {
      if (mode === 'held') await new Promise<void>(go => waiting.push(go))
      if (mode === 'failing') throw new Error('no space left (made by the test)')
    }
  })
  const become = (next: typeof mode) => (): void => {
    mode = next
    wake()
  }
  return {
    log,
    hold: () => {
      mode = 'held'
    },
    release: become('open'),
    fail: become('failing'),
    heal: become('open')
  }
}
