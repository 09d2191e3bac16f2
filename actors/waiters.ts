// Those who wait for indexes, in the order of these: a step costs those whom it releases, however many wait for more.

export class Waiters<Waiter extends { readonly index: number }> {
  #all: Waiter[] = []

  /** Behind those that wait for the same index. */
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

  /** Takes out those that wait for nothing later. */
  upTo(index: number): readonly Waiter[] {
    let count = 0
    while (count < this.#all.length && (this.#all[count]?.index ?? Infinity) <= index) count++
    return count === 0 ? [] : this.#all.splice(0, count)
  }

  /** Takes out those of which something is so, wherever they stand. */
  those(isSo: (waiter: Waiter) => boolean): readonly Waiter[] {
    const taken = this.#all.filter(isSo)
    this.#all = this.#all.filter(waiter => !isSo(waiter))
    return taken
  }

  /** Takes out all. */
  all(): readonly Waiter[] {
    return this.#all.splice(0)
  }

  [Symbol.iterator](): Iterator<Waiter> {
    return this.#all.values()
  }
}
