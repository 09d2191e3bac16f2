// Waiting for a condition instead of for a time.
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Asks again and again until the answer is neither undefined nor false, and returns it.
 * @param within how long to go on, in ms
 * @throws Error naming `what` when time is over
 */
export async function until<T>(
  what: string,
  within: number,
  ask: () => Promise<T | undefined | false> | T | undefined | false
): Promise<T> {
  const deadline = Date.now() + within
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > deadline) throw new Error(`waited ${within} ms in vain: ${what}`)
    await pause(10)
  }
}
