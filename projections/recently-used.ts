interface Entry<Value> {
  readonly value: Value
  readonly size: number
}

/**
 * Values by key; the least recently used ones are evicted. All costs O(1), amortised. Memory: at most `count` entries of
 * together `size` units: those of `sizeOf`, and one for each character of a key.
 */
export class RecentlyUsed<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  #size = 0
  #newest: string | undefined

  /** @param onRemove is called for each removed entry, whatever the reason */
  constructor(
    private readonly limits: { readonly count: number; readonly size: number },
    private readonly sizeOf: (value: Value) => number,
    private readonly onRemove: (key: string, value: Value) => void = () => {}
  ) {}

  get count(): number {
    return this.#entries.size
  }

  /** Marks the key as used. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (key !== this.#newest) {
      this.#entries.delete(key)
      this.#entries.set(key, entry)
      this.#newest = key
    }
    return entry.value
  }

  /** Returns false, without storing, for a value that is larger than the limit. */
  set(key: string, value: Value): boolean {
    this.delete(key)
    const size = this.sizeOf(value) + key.length
    if (size > this.limits.size) return false
    this.#entries.set(key, { value, size })
    this.#newest = key
    this.#size += size
    while (this.#entries.size > this.limits.count || this.#size > this.limits.size) {
      const oldest = this.#entries.keys().next().value
      if (oldest === undefined) break
      this.delete(oldest)
    }
    return true
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#size -= entry.size
    this.onRemove(key, entry.value)
  }

  clear(): void {
    for (const key of Array.from(this.#entries.keys())) this.delete(key)
  }
}
