// A sorted set of keys with lazy insertion and deletion.
import { SortedList } from '../live/worker/sorted-list.js'

const byText = (one: string, other: string): number => {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Applies additions and deletions when the list is read. */
export class OrderedKeys {
  #list: readonly string[] = []
  readonly #added = new Set<string>()
  readonly #removed = new Set<string>()

  /** @param key must not be in the list */
  add(key: string): void {
    if (!this.#removed.delete(key)) this.#added.add(key)
  }

  /** @param key must be in the list */
  delete(key: string): void {
    if (!this.#added.delete(key)) this.#removed.add(key)
  }

  clear(): void {
    this.#list = []
    this.#added.clear()
    this.#removed.clear()
  }

  /** The same array until a key is added or deleted. */
  get list(): readonly string[] {
    if (this.#added.size + this.#removed.size > 0) this.#merge()
    return this.#list
  }

  #merge(): void {
    // A copy, because callers retain the previous list.
    const ordered = new SortedList(byText, [...this.#list])
    ordered.change([...this.#removed], [...this.#added])
    this.#list = ordered.rows
    this.#added.clear()
    this.#removed.clear()
  }
}
