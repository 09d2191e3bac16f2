// Waiting for a condition instead of for a time.
import { setTimeout as pause } from 'node:timers/promises'

/** Polling interval in ms. */
const PAUSE = 10
/** A machine that stands still does not use them up. */
const MOST_LOOKS = 20_000

/**
 * Asks again and again until the answer is neither undefined nor false, and returns it.
 * @throws Error naming `what` when it was asked very often
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false
): Promise<T> {
  for (let left = MOST_LOOKS; left > 0; left--) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    await pause(PAUSE)
  }
  throw new Error(`looked ${MOST_LOOKS} times in vain: ${what}`)
}
