// Keys in their order, of which few come and go at a time.

/** Keeps keys sorted: what comes is merged in when the list is asked for, so that many at a time cost one walk. */
export class OrderedKeys {
  #list: readonly string[] = []
  readonly #added = new Set<string>()
  readonly #removed = new Set<string>()

  /** A key that is not in the list. */
  add(key: string): void {
    if (!this.#removed.delete(key)) this.#added.add(key)
  }

  /** A key that is in the list. */
  delete(key: string): void {
    if (!this.#added.delete(key)) this.#removed.add(key)
  }

  clear(): void {
    this.#list = []
    this.#added.clear()
    this.#removed.clear()
  }

  /** The same array as long as nothing came or went. */
  get list(): readonly string[] {
    if (this.#added.size + this.#removed.size > 0) this.#merge()
    return this.#list
  }

  #merge(): void {
    const more = [...this.#added].toSorted()
    const merged: string[] = []
    let next = 0
    for (const key of this.#list) {
      for (let come = more[next]; come !== undefined && come < key; come = more[++next]) merged.push(come)
      if (!this.#removed.has(key)) merged.push(key)
    }
    this.#list = [...merged, ...more.slice(next)]
    this.#added.clear()
    this.#removed.clear()
  }
}
