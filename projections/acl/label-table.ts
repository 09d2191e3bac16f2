// Values under exact labels and prefixes, found from the most specific to the least specific one.
import { RadixTree } from '../radix-tree.js'
import type { Match } from './rules/model.js'

/** A value and the next less specific one for the names that lead to it. */
interface Link<V> {
  readonly value: V
  readonly next: Link<V> | undefined
}

/** Built once. A look-up costs the length of the name and allocates nothing. */
export class LabelTable<V> {
  readonly #exact = new Map<string, Link<V>>()
  readonly #prefixes = new RadixTree<Link<V>>()

  constructor(entries: Iterable<readonly [match: Match, label: string, value: V]>) {
    const shortFirst = [...entries].toSorted((a, b) => a[1].length - b[1].length)
    for (const [match, label, value] of shortFirst)
      if (match === 'prefix')
        this.#prefixes.insert(label, { value, next: this.#prefixes.longestPrefix(label) })
    for (const [match, label, value] of shortFirst)
      if (match === 'exact') this.#exact.set(label, { value, next: this.#prefixes.longestPrefix(label) })
  }

  /** The exact label if there is one, else the longest prefix; its `next` leads to all other prefixes of the name. */
  first(name: string): Link<V> | undefined {
    return this.#exact.get(name) ?? this.#prefixes.longestPrefix(name)
  }

  /** The longest prefix of the name, exact labels left aside. */
  longestPrefix(name: string): V | undefined {
    return this.#prefixes.longestPrefix(name)?.value
  }
}
