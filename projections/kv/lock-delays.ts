// Keys whose locks nobody may take for a while, because the session that held them ended (spec: state.md §5).
import { MILLISECOND } from '../../events/duration.js'
import { memory } from '../saved.js'

/** The most of a lock-delay that counts. */
const LONGEST_MS = 60_000

/** Times come from the commits, so that a replay knows the same delays. O(1), amortised. */
export class LockDelays {
  /** In the order in which they began. */
  readonly #until = new Map<string, number>()
  readonly memory = memory<readonly [key: string, until: number]>({
    clear: () => {},
    save: () => this.#until,
    load: ([key, until]) => this.#until.set(key, until)
  })

  /**
   * @param endedAt when the session ended, epoch milliseconds
   * @param delayNs lock-delay of the session, nanoseconds
   */
  begin(key: string, endedAt: number, delayNs: number): void {
    if (delayNs <= 0) return
    this.#until.delete(key)
    this.#until.set(key, endedAt + Math.min(delayNs / MILLISECOND, LONGEST_MS))
    // One that lasts holds up the sweeping of those behind it for as long as a delay may be.
    for (const [old, until] of this.#until) {
      if (until > endedAt) return
      this.#until.delete(old)
    }
  }

  /** Epoch milliseconds; 0 when nothing is known of the key. */
  until(key: string): number {
    return this.#until.get(key) ?? 0
  }

  /** Forgets the keys that begin so: what they were in is gone. Cost: all keys known. */
  forget(prefix: string): void {
    for (const key of this.#until.keys()) if (key.startsWith(prefix)) this.#until.delete(key)
  }

  clear(): void {
    this.#until.clear()
  }
}
