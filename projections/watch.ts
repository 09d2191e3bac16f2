// Who waits for what: the waiting side of blocking queries. A change wakes only those who named what changed.

import { RadixTree } from './radix-tree.js'

/** A counting Bloom filter with one hash: tells most texts outside of a set by one access to memory. */
const SLOTS = 1 << 18
/** A slot that has been shared by so many stays as it is: it only says "perhaps" from then on. */
const FULL = 255
/** FNV-1a of 32 bits, over code units. */
const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
/** Brings the upper bits of a hash into the slot. */
const FOLD = 14

/** Hash of a text, or of a longer one whose beginning has the hash `before`. */
export const hashOf = (text: string, before: number = OFFSET): number => {
  let hash = before
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME)
  return hash
}

const slotOf = (hash: number): number => (hash ^ (hash >>> FOLD)) & (SLOTS - 1)

/** 256 kB. Operations cost O(1) beside the hash. With 10,000 texts, `mayHave` is wrong of one text in 27. */
export class CountingFilter {
  /** How many texts share the slot. */
  readonly #counts = new Uint8Array(SLOTS)

  add(hash: number): void {
    this.#change(hash, 1)
  }

  /** Only for what was added. */
  remove(hash: number): void {
    this.#change(hash, -1)
  }

  /** False when no text of this hash is in the set. */
  mayHave(hash: number): boolean {
    return this.#counts[slotOf(hash)] !== 0
  }

  #change(hash: number, by: number): void {
    const slot = slotOf(hash)
    const count = this.#counts[slot] ?? 0
    if (count !== FULL) this.#counts[slot] = count + by
  }
}

/** Names one thing or set of things that can change, such as `token/<accessor>` or `tokens`. */
export type WatchName = string

/** Names everything whose name begins so. */
interface WatchPrefix {
  readonly prefix: WatchName
}

export type WatchKey = WatchName | WatchPrefix

/** The names that begin alike. */
export interface WatchBranch {
  /**
   * Says that what the beginning and `rest` together name has changed, also to those who wait for a prefix of
   * the name. Costs the length of `rest`; that of the name if anybody waits for a prefix at all, or for the
   * name.
   */
  readonly touch: (rest: string) => void
}

interface Waiter {
  readonly keys: readonly WatchKey[]
  readonly wake: () => void
}

/**
 * Waiters by key. `touch` costs the length of the name when nobody waits for the key, and the number of those
 * who do otherwise. The number of other waiters does not matter: a filter stands before their map, in which
 * even the look-up of what is not there reads names that were last used long ago, and finds them in no cache.
 */
export class Watch {
  readonly #waiters = new Map<WatchName, Set<Waiter>>()
  readonly #filter = new CountingFilter()
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
      else if (typeof key === 'string') {
        this.#waiters.set(key, new Set([waiter]))
        this.#filter.add(hashOf(key))
      } else this.#prefixes.insert(key.prefix, new Set([waiter]))
    }
    return () => this.#remove(waiter)
  }

  /** Whether anybody waits for what the name names. */
  isAwaited(name: WatchName): boolean {
    return this.#waiters.has(name)
  }

  /** Says that what the key names has changed. */
  touch(key: WatchName): void {
    if (this.#waiters.size > 0 && this.#filter.mayHave(hashOf(key))) this.#wake(this.#waiters.get(key))
  }

  /** The names that begin so, for saying that one of them has changed. */
  branch(beginning: string): WatchBranch {
    const hash = hashOf(beginning)
    return {
      touch: rest => {
        if (this.#waiters.size > 0 && this.#filter.mayHave(hashOf(rest, hash)))
          this.#wake(this.#waiters.get(beginning + rest))
        if (this.#prefixes.size > 0) this.#touchPrefixes(beginning + rest)
      }
    }
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

  #touchPrefixes(name: WatchName): void {
    for (const waiters of this.#prefixes.prefixesOf(name)) this.#wake(waiters)
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
      if (typeof key === 'string') {
        this.#waiters.delete(key)
        this.#filter.remove(hashOf(key))
      } else this.#prefixes.delete(key.prefix)
    }
  }
}
