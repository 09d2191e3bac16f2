import { MILLISECOND } from '../../events/duration.js'
import { derivedState } from '../projection.js'

const MAX_DELAY_MS = 60_000

/** Times come from the commits, so that a replay computes the same delays. O(1), amortised. */
export class LockDelays {
  /** In the order of their beginnings. */
  readonly #until = new Map<string, number>()
  readonly memory = derivedState<readonly [key: string, until: number]>({
    clear: () => {},
    save: () => this.#until,
    load: ([key, until]) => this.#until.set(key, until)
  })

  /** @param endedAt end of the session, epoch milliseconds. @param delayNs lock-delay of the session, nanoseconds */
  begin(keys: readonly string[], endedAt: number, delayNs: number): void {
    if (delayNs <= 0 || keys.length === 0) return
    const end = endedAt + Math.min(delayNs / MILLISECOND, MAX_DELAY_MS)
    for (const key of keys) {
      this.#until.delete(key)
      this.#until.set(key, end)
    }
    // An unexpired delay postpones the sweep of later ones, at most by the limit of a delay.
    for (const [old, until] of this.#until) {
      if (until > endedAt) return
      this.#until.delete(old)
    }
  }

  /**
   * Decides if the delay of a key lasts at a time, in epoch milliseconds. A delay beyond the limit is from before the clock
   * was set back and is ignored, so that no lock stays blocked until then.
   */
  has(key: string, at: number): boolean {
    const left = (this.#until.get(key) ?? at) - at
    return left > 0 && left <= MAX_DELAY_MS
  }

  /** Deletes the delays of a deleted namespace. Cost: all delays. */
  deletePrefix(prefix: string): void {
    for (const key of this.#until.keys()) if (key.startsWith(prefix)) this.#until.delete(key)
  }

  clear(): void {
    this.#until.clear()
  }
}
