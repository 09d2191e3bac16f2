// Who waits for what: the waiting side of blocking queries. A change wakes only those who named what changed.

/** Names one thing or set of things that can change, such as `token/<accessor>` or `tokens`. */
export type WatchKey = string

interface Waiter {
  readonly keys: readonly WatchKey[]
  readonly wake: () => void
}

/**
 * Waiters by key. `touch` costs one look-up when nobody waits for the key, and the number of those who do otherwise;
 * the number of other waiters does not matter.
 */
export class Watch {
  readonly #waiters = new Map<WatchKey, Set<Waiter>>()

  /** Number of keys that somebody waits for. */
  get size(): number {
    return this.#waiters.size
  }

  /** Calls `wake` once, at the next change of any of the keys. Returns how to stop waiting. */
  wait(keys: readonly WatchKey[], wake: () => void): () => void {
    const waiter: Waiter = { keys, wake }
    for (const key of keys) {
      const set = this.#waiters.get(key)
      if (set) set.add(waiter)
      else this.#waiters.set(key, new Set([waiter]))
    }
    return () => this.#remove(waiter)
  }

  /** Says that what the key names has changed. */
  touch(key: WatchKey): void {
    if (this.#waiters.size === 0) return
    const waiters = this.#waiters.get(key)
    if (!waiters) return
    for (const waiter of Array.from(waiters)) {
      this.#remove(waiter)
      waiter.wake()
    }
  }

  /** Wakes everybody: the state was replaced, or the server ends. */
  touchAll(): void {
    for (const key of Array.from(this.#waiters.keys())) this.touch(key)
  }

  #remove(waiter: Waiter): void {
    for (const key of waiter.keys) {
      const set = this.#waiters.get(key)
      if (!set) continue
      set.delete(waiter)
      if (set.size === 0) this.#waiters.delete(key)
    }
  }
}
