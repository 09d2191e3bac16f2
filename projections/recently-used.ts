// Results kept for as long as they are asked for often enough.

/** A result and what it takes up. */
interface Kept<Value> {
  readonly value: Value
  readonly size: number
}

/**
 * Values by key; when there are too many or they take up too much, those go whose last use is the longest
 * ago. All costs O(1), amortised. Memory: at most `count` entries of together `size` units: those of
 * `sizeOf`, and one for each character of a key.
 */
export class RecentlyUsed<Value> {
  readonly #kept = new Map<string, Kept<Value>>()
  #size = 0
  /** The key used last, which needs no moving. */
  #newest: string | undefined

  /** @param dropped is told what goes, whatever the reason */
  constructor(
    private readonly limits: { readonly count: number; readonly size: number },
    private readonly sizeOf: (value: Value) => number,
    private readonly dropped: (key: string, value: Value) => void = () => {}
  ) {}

  get count(): number {
    return this.#kept.size
  }

  /** The value of a key, which counts as its use. */
  get(key: string): Value | undefined {
    const kept = this.#kept.get(key)
    if (!kept) return undefined
    if (key !== this.#newest) {
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      this.#newest = key
    }
    return kept.value
  }

  /** Keeps a value under a key; false when it is larger than the limit, and not kept. */
  set(key: string, value: Value): boolean {
    this.delete(key)
    const size = this.sizeOf(value) + key.length
    if (size > this.limits.size) return false
    this.#kept.set(key, { value, size })
    this.#newest = key
    this.#size += size
    while (this.#kept.size > this.limits.count || this.#size > this.limits.size) {
      const oldest = this.#kept.keys().next().value
      if (oldest === undefined) break
      this.delete(oldest)
    }
    return true
  }

  delete(key: string): void {
    const kept = this.#kept.get(key)
    if (!kept) return
    this.#kept.delete(key)
    this.#size -= kept.size
    this.dropped(key, kept.value)
  }

  clear(): void {
    for (const key of Array.from(this.#kept.keys())) this.delete(key)
  }
}
