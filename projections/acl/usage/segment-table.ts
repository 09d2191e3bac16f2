import { RadixTree } from '../../radix-tree.js'
import type { Extent } from './question.js'

/** The characters that end a part of a name. */
const SEPARATORS = new Set(['/', '.', '-', '_', ':'])

/** Returns a name without its last part: `app/config/` for `app/config/port`, '' for a name of one part. */
export const parentOf = (name: string): string => {
  for (let at = name.length - 2; at >= 0; at--)
    if (SEPARATORS.has(name.charAt(at))) return name.slice(0, at + 1)
  return ''
}

/** The prefix that most names share, and of several such ones the longest. Linear in the lengths of the names. */
const commonPrefixOf = (names: readonly string[]): string => {
  const counts = new Map<string, number>()
  for (const name of names)
    for (let prefix = parentOf(name); ; prefix = parentOf(prefix)) {
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
      if (prefix === '') break
    }
  // The root has all names; a prefix with a quarter of them frees enough.
  const least = Math.max(2, Math.ceil(names.length / 4))
  let best = ''
  for (const [prefix, count] of counts) if (count >= least && prefix.length > best.length) best = prefix
  return best
}

interface Entries<Value> {
  readonly create: () => Value
  readonly merge: (into: Value, from: Value) => void
}

interface Collapsed<Value> {
  readonly prefix: string
  readonly value: Value
}

/**
 * Values by name and by prefix. When there are too many, names that share a prefix are collapsed into it. A known name costs one look-up; one below
 * a collapsed prefix its length.
 */
export class SegmentTable<Value> {
  readonly #ones = new Map<string, Value>()
  readonly #lists = new Map<string, Value>()
  readonly #collapsed = new RadixTree<Collapsed<Value>>()

  constructor(
    private readonly most: number,
    private readonly entries: Entries<Value>
  ) {}

  get size(): number {
    return this.#ones.size + this.#lists.size + this.#collapsed.size
  }

  /** Returns the value of a name. */
  one(name: string): Value {
    return this.#ones.get(name) ?? this.#add(this.#ones, name)
  }

  /** Returns the value of a name or prefix, created if needed. */
  at(segment: string, extent: Extent): Value {
    if (extent === 'one') return this.one(segment)
    if (extent === 'list') return this.#lists.get(segment) ?? this.#add(this.#lists, segment)
    return this.#collapsed.longestPrefix(segment)?.value ?? this.#collapse(segment)
  }

  *[Symbol.iterator](): Iterator<readonly [segment: string, extent: Extent, value: Value]> {
    for (const [name, value] of this.#ones) yield [name, 'one', value]
    for (const [prefix, value] of this.#lists) yield [prefix, 'list', value]
    for (const { prefix, value } of this.#collapsed.walk('')) yield [prefix, 'collapsed', value]
  }

  /** Removes the names that pass a test. */
  remove(isRemoved: (segment: string, extent: Extent, value: Value) => boolean): void {
    for (const [segment, extent, value] of Array.from(this)) {
      if (!isRemoved(segment, extent, value)) continue
      if (extent === 'one') this.#ones.delete(segment)
      else if (extent === 'list') this.#lists.delete(segment)
      else this.#collapsed.delete(segment)
    }
  }

  #add(map: Map<string, Value>, segment: string): Value {
    const known = this.#collapsed.longestPrefix(segment)
    if (known !== undefined) return known.value
    if (this.size >= this.most) {
      this.#collapse(commonPrefixOf([...this.#ones.keys(), ...this.#lists.keys(), segment]))
      const collapsed = this.#collapsed.longestPrefix(segment)
      if (collapsed !== undefined) return collapsed.value
    }
    const value = this.entries.create()
    map.set(segment, value)
    return value
  }

  #collapse(prefix: string): Value {
    const into = this.entries.create()
    for (const map of [this.#ones, this.#lists])
      for (const [segment, value] of map)
        if (segment.startsWith(prefix)) {
          this.entries.merge(into, value)
          map.delete(segment)
        }
    for (const { prefix: longer, value } of Array.from(this.#collapsed.walk(prefix))) {
      this.entries.merge(into, value)
      this.#collapsed.delete(longer)
    }
    this.#collapsed.put(prefix, { prefix, value: into })
    return into
  }
}
