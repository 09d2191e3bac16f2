// Who waits for what: the waiting side of blocking queries. A change wakes only those who named what changed.

import { RadixTree } from './radix-tree.js'

/** Names one thing or set of things that can change, such as `token/<accessor>` or `tokens`. */
export type WatchName = string

/** Names everything whose name begins so. */
export interface WatchPrefix {
  readonly prefix: WatchName
}

export type WatchKey = WatchName | WatchPrefix

interface Waiter {
  readonly keys: readonly WatchKey[]
  readonly wake: () => void
}

/**
 * Waiters by key. `touch` costs one look-up when nobody waits for the key, and the number of those who do otherwise;
 * the number of other waiters does not matter. `touchPath` also costs the length of the name, if anybody waits for a
 * prefix at all.
 */
export class Watch {
  readonly #waiters = new Map<WatchName, Set<Waiter>>()
  readonly #prefixes = new RadixTree<Set<Waiter>>()
  #epoch = 0

  /** Number of keys that somebody waits for. */
  get size(): number {
    return this.#waiters.size + this.#prefixes.size
  }

  /** Calls `wake` once, at the next change of any of the keys. Returns how to stop waiting. */
  wait(keys: readonly WatchKey[], wake: () => void): () => void {
    const waiter: Waiter = { keys, wake }
    for (const key of keys) {
      const set = this.#of(key)
      if (set) set.add(waiter)
      else if (typeof key === 'string') this.#waiters.set(key, new Set([waiter]))
      else this.#prefixes.insert(key.prefix, new Set([waiter]))
    }
    return () => this.#remove(waiter)
  }

  /** Says that what the key names has changed. */
  touch(key: WatchName): void {
    if (this.#waiters.size === 0) return
    this.#wake(this.#waiters.get(key))
  }

  /** Says that what the name stands for has changed, also to those who wait for a prefix of it. */
  touchPath(name: WatchName): void {
    this.touch(name)
    if (this.#prefixes.size === 0) return
    for (const waiters of this.#prefixes.prefixesOf(name)) this.#wake(waiters)
  }

  /** Grows when the state was replaced by another one: whoever waited for a part of it is answered. */
  get epoch(): number {
    return this.#epoch
  }

  /** Wakes everybody, to look again at what they wait for. */
  touchAll(): void {
    for (const waiters of Array.from(this.#waiters.values())) this.#wake(waiters)
    for (const [, waiters] of Array.from(this.#prefixes.walkPrefix(''))) this.#wake(waiters)
  }

  /** Ends every wait: the state was replaced by another one. */
  endAll(): void {
    this.#epoch++
    this.touchAll()
  }

  #of(key: WatchKey): Set<Waiter> | undefined {
    return typeof key === 'string' ? this.#waiters.get(key) : this.#prefixes.get(key.prefix)
  }

  #wake(waiters: ReadonlySet<Waiter> | undefined): void {
    if (!waiters) return
    for (const waiter of Array.from(waiters)) {
      this.#remove(waiter)
      waiter.wake()
    }
  }

  #remove(waiter: Waiter): void {
    for (const key of waiter.keys) {
      const set = this.#of(key)
      if (!set) continue
      set.delete(waiter)
      if (set.size > 0) continue
      if (typeof key === 'string') this.#waiters.delete(key)
      else this.#prefixes.delete(key.prefix)
    }
  }
}
