import { MILLISECOND } from '../../events/duration.js'
import { getOrCreate } from '../maps.js'
import { derivedState } from '../projection.js'

const MAX_DELAY_MS = 60_000

/** Times come from the commits, so that a replay computes the same delays. O(1), amortised. */
export class LockDelays {
  /** By space, and of each space, in the order of their beginnings. The space of the newest is last. */
  readonly #until = new Map<string, Map<string, number>>()
  readonly memory = derivedState<readonly [fullKey: string, until: number]>({
    clear: () => {},
    save: () => this.#saved(),
    load: ([fullKey, until]) => {
      // Names of tenancies contain no slash.
      const end = fullKey.indexOf('/', fullKey.indexOf('/') + 1)
      this.#in(fullKey.slice(0, end)).set(fullKey.slice(end + 1), until)
    }
  })

  /** @param endedAt end of the session, epoch milliseconds. @param delayNs lock-delay of the session, nanoseconds */
  begin(space: string, rows: readonly { readonly key: string }[], endedAt: number, delayNs: number): void {
    if (delayNs <= 0 || rows.length === 0) return
    const end = endedAt + Math.min(delayNs / MILLISECOND, MAX_DELAY_MS)
    const delays = this.#in(space)
    this.#until.delete(space)
    this.#until.set(space, delays)
    for (const { key } of rows) {
      delays.delete(key)
      delays.set(key, end)
    }
    this.#sweep(endedAt)
  }

  /**
   * Decides if the delay of a key lasts at a time, in epoch milliseconds. A delay beyond the limit is from before the clock
   * was set back and is ignored, so that no lock stays blocked until then.
   */
  has(space: string, key: string, at: number): boolean {
    const left = (this.#until.get(space)?.get(key) ?? at) - at
    return left > 0 && left <= MAX_DELAY_MS
  }

  /** Deletes the delays of a deleted namespace. */
  deleteSpace(space: string): void {
    this.#until.delete(space)
  }

  clear(): void {
    this.#until.clear()
  }

  #in(space: string): Map<string, number> {
    return getOrCreate(this.#until, space, () => new Map<string, number>())
  }

  *#saved(): Iterable<readonly [fullKey: string, until: number]> {
    for (const [space, delays] of this.#until)
      for (const [key, until] of delays) yield [`${space}/${key}`, until] as const
  }

  /** Deletes delays that are over, in the order of the spaces. An unexpired one postpones the sweep of later ones, at most by the limit of a delay. */
  #sweep(at: number): void {
    for (const [space, delays] of this.#until) {
      for (const [key, until] of delays) {
        if (until > at) return
        delays.delete(key)
      }
      this.#until.delete(space)
    }
  }
}
