// How every follower of a log behaves when its connection ends: it waits and connects again from what it holds.
import { messageOf } from '../errors.js'

export interface FollowOptions {
  /**
   * Connects from what is held, and takes what arrives until nothing more can be trusted to come.
   * @param heard must be called for each arrival
   */
  readonly attempt: (heard: () => void) => Promise<void>
  /**
   * Handles the failure of an attempt.
   * @param isNew false if the attempt before failed alike and nothing was heard since
   * @throws what no further attempt can repair
   */
  readonly failed: (error: unknown, isNew: boolean) => void
  /** Least time between the starts of two attempts, in ms. */
  readonly interval: number
  /** Waits, or until the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Follows a log until the signal aborts. @throws what `failed` throws */
export const follow = async (
  { attempt, failed, interval, pause }: FollowOptions,
  signal: AbortSignal
): Promise<void> => {
  let lastFailure: string | undefined
  const heard = (): void => {
    lastFailure = undefined
  }
  while (!signal.aborted) {
    const rested = pause(interval, signal)
    try {
      await attempt(heard)
    } catch (error) {
      const failure = messageOf(error)
      failed(error, failure !== lastFailure)
      lastFailure = failure
    }
    await rested
  }
}
