import { RadixTree } from './radix-tree.js'

const SLOTS = 1 << 18
/** A slot with this count never changes again: it always means "perhaps". */
const FULL = 255
/** 32-bit FNV-1a over code units. */
const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
/** Mixes the upper bits of a hash into the slot. */
const FOLD = 14

/** Hashes a text, or the continuation of one with the hash `before`. */
export const hashOf = (text: string, before: number = OFFSET): number => {
  let hash = before
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME)
  return hash
}

const slotOf = (hash: number): number => (hash ^ (hash >>> FOLD)) & (SLOTS - 1)

const NO_COUNTS = new Uint8Array(0)

/** Counting Bloom filter, one hash (decisions/0033), 256 kB. Operations cost O(1) after the hash. With 10,000 texts, `mayHave` errs for one in 27. */
export class CountingFilter {
  /** Allocated by the first text: drafts and earlier states have none. */
  #counts = NO_COUNTS

  add(hash: number): void {
    this.#change(hash, 1)
  }

  /** Only for added hashes. */
  remove(hash: number): void {
    this.#change(hash, -1)
  }

  /** False if no text of this hash is in the set. */
  mayHave(hash: number): boolean {
    return (this.#counts[slotOf(hash)] ?? 0) !== 0
  }

  #change(hash: number, by: number): void {
    if (this.#counts === NO_COUNTS) this.#counts = new Uint8Array(SLOTS)
    const slot = slotOf(hash)
    const count = this.#counts[slot] ?? 0
    if (count !== FULL) this.#counts[slot] = count + by
  }
}

/** Names a resource or set of resources that can change, such as `token/<accessor>` or `tokens`. */
export type WatchName = string

export type WatchKey = WatchName | { readonly prefix: WatchName }

/** The names with a common beginning. */
export interface WatchBranch {
  /** Wakes the waiters of a name, given without its beginning, and of its prefixes. Costs the length of `rest`, or of the name if any wait. */
  readonly touch: (rest: string) => void
  /** The awaited names and prefixes that begin with `rest`, without the beginning. Cost: all waiters. */
  readonly awaited: (rest: string) => Iterable<string>
}

interface Waiter {
  readonly keys: readonly WatchKey[]
  readonly wake: () => void
}

/**
 * Waiters of blocking queries by key. `touch` costs the length of the name without waiters, otherwise their number. A filter avoids look-ups of
 * absent names in the map, which would read other names that are in no CPU cache.
 */
export class Watch {
  readonly #waiters = new Map<WatchName, Set<Waiter>>()
  readonly #filter = new CountingFilter()
  readonly #prefixes = new RadixTree<Set<Waiter>>()
  #epoch = 0

  get size(): number {
    return this.#waiters.size + this.#prefixes.size
  }

  /** Calls `wake` once, at the next change of any of the keys. Returns a function that cancels the wait. */
  wait(keys: readonly WatchKey[], wake: () => void): () => void {
    const waiter: Waiter = { keys, wake }
    for (const key of keys) {
      const set = this.#of(key)
      if (set) set.add(waiter)
      else if (typeof key === 'string') {
        this.#waiters.set(key, new Set([waiter]))
        this.#filter.add(hashOf(key))
      } else this.#prefixes.put(key.prefix, new Set([waiter]))
    }
    return () => this.#remove(waiter)
  }

  isAwaited(name: WatchName): boolean {
    return this.#waiters.has(name)
  }

  touch(key: WatchName): void {
    if (this.#waiters.size > 0 && this.#filter.mayHave(hashOf(key))) this.#wake(this.#waiters.get(key))
  }

  /** Prepares `touch` for names with a common beginning. */
  branch(beginning: string): WatchBranch {
    const hash = hashOf(beginning)
    return {
      touch: rest => {
        if (this.#waiters.size > 0 && this.#filter.mayHave(hashOf(rest, hash)))
          this.#wake(this.#waiters.get(beginning + rest))
        if (this.#prefixes.size > 0) this.#touchPrefixes(beginning + rest)
      },
      awaited: rest => this.#awaited(beginning, beginning + rest)
    }
  }

  /** Grows when another state replaces the current one, which ends all waits. */
  get epoch(): number {
    return this.#epoch
  }

  /** Wakes all waiters, which then check their own condition. */
  touchAll(): void {
    for (const waiters of Array.from(this.#waiters.values())) this.#wake(waiters)
    for (const waiters of Array.from(this.#prefixes.walk(''))) this.#wake(waiters)
  }

  /** Ends every wait, because another state replaces the current one. */
  endAll(): void {
    this.#epoch++
    this.touchAll()
  }

  *#awaited(beginning: string, prefix: string): Iterable<string> {
    for (const name of this.#waiters.keys()) if (name.startsWith(prefix)) yield name.slice(beginning.length)
    for (const waiters of this.#prefixes.walk(prefix))
      for (const { keys } of waiters)
        for (const key of keys)
          if (typeof key !== 'string' && key.prefix.startsWith(prefix))
            yield key.prefix.slice(beginning.length)
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
