// Waits for conditions.
import { setTimeout as pause } from 'node:timers/promises'

/** Polling interval in ms. */
const PAUSE = 10
/** Limits the attempts instead of the time: a busy or suspended machine does not exhaust them. At least three minutes. */
const MOST_LOOKS = 20_000

/** Polls until the result is neither undefined nor false, and returns it. @throws Error naming `what` after too many attempts */
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
