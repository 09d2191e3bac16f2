// The newest of many, in a room that does not grow: each that comes beyond it takes the place of the oldest.

export class Ring<T> {
  #items: T[] = []
  /** Where the oldest stands once the room is full. */
  #start = 0

  constructor(private readonly room: number) {
  }

  get size(): number {
    return this.#items.length
  }

  get isFull(): boolean {
    return this.size === this.room
  }

  /** @returns the one that had to go */
  put(item: T): T | undefined {
    if (!this.isFull) {
      this.#items.push(item)
      return undefined
    }
    const gone = this.#items[this.#start]
    this.#items[this.#start] = item
    this.#start = (this.#start + 1) % this.room
    return gone
  }

  /** From the newest on. @param first how many newer ones are passed over @param last the one before it is the last */
  newest(first: number, last: number): readonly T[] {
    const found: T[] = []
    for (let at = Math.max(0, first); at < Math.min(last, this.size); at++) {
      const item = this.#items[(this.#start + this.size - 1 - at) % this.size]
      if (item !== undefined) found.push(item)
    }
    return found
  }

  clear(): void {
    this.#items = []
    this.#start = 0
  }

  *[Symbol.iterator](): Generator<T> {
    for (let at = 0; at < this.size; at++) {
      const item = this.#items[(this.#start + at) % this.size]
      if (item !== undefined) yield item
    }
  }
}
