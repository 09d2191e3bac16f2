// Waiters for indexes, in ascending order. Releasing costs O(released), independent of the others.

export class Waiters<Waiter extends { readonly index: number }> {
  #all: Waiter[] = []

  /** Adds a waiter after matching for the same index. */
  add(waiter: Waiter): void {
    let at = this.#all.length
    while (at > 0 && (this.#all[at - 1]?.index ?? 0) > waiter.index) at--
    if (at === this.#all.length) this.#all.push(waiter)
    else this.#all.splice(at, 0, waiter)
  }

  remove(waiter: Waiter): void {
    const at = this.#all.indexOf(waiter)
    if (at >= 0) this.#all.splice(at, 1)
  }

  /** Removes and returns the waiters up to an index. */
  upTo(index: number): readonly Waiter[] {
    let count = 0
    while (count < this.#all.length && (this.#all[count]?.index ?? Infinity) <= index) count++
    return count === 0 ? [] : this.#all.splice(0, count)
  }

  /** Removes and returns the waiters that match a predicate. */
  matching(matches: (waiter: Waiter) => boolean): readonly Waiter[] {
    const taken = this.#all.filter(matches)
    this.#all = this.#all.filter(waiter => !matches(waiter))
    return taken
  }

  /** Removes and returns all waiters. */
  all(): readonly Waiter[] {
    return this.#all.splice(0)
  }

  [Symbol.iterator](): Iterator<Waiter> {
    return this.#all.values()
  }
}
