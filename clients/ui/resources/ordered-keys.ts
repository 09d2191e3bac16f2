// Keys in their order, of which few come and go at a time.
import { SortedList } from '../live/worker/sorted-list.js'

const byText = (one: string, other: string): number => {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Keeps keys sorted: what comes and goes is put in when the list is asked for. */
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
    // A list that somebody has does not change under them.
    const ordered = new SortedList(byText, [...this.#list])
    ordered.change([...this.#removed], [...this.#added])
    this.#list = ordered.rows
    this.#added.clear()
    this.#removed.clear()
  }
}
