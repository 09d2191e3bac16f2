// Waiting for a condition instead of for a time.
import { setTimeout as pause } from 'node:timers/promises'

/** A longer time between two looks, in ms, is one in which this process stood still: it counts as so much. */
const LONGEST_STEP = 5000

/**
 * Asks again and again until the answer is neither undefined nor false, and returns it.
 * @param within how long to go on, in ms; time in which the machine or this process stood still does not count
 * @throws Error naming `what` when time is over
 */
export async function until<T>(
  what: string,
  within: number,
  ask: () => Promise<T | undefined | false> | T | undefined | false
): Promise<T> {
  let waited = 0
  for (let last = performance.now(); ;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (waited > within) throw new Error(`waited ${within} ms in vain: ${what}`)
    await pause(10)
    const now = performance.now()
    waited += Math.min(now - last, LONGEST_STEP)
    last = now
  }
}
