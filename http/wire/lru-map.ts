/** Keeps what was set last: beyond so many, what was set longest ago makes room. */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Value>()

  constructor(private readonly most: number) {}

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.most) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      break
    }
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }
}
