import { lowerBound } from '../../../events/sorted-search.js'
import type { ScopeName } from '../rules/model.js'

/** A set of names that rules cannot tell apart: one name, or all below a prefix that match no longer label. */
export interface NamePoint {
  readonly scope: ScopeName
  /** One of the names. */
  readonly name: string
}

/** Digits and letters, then all other characters. The wildcard `*` is none of them. */
function* characters(): Iterable<string> {
  yield* 'xyzabcdefghijklmnopqrstuvw0123456789'
  for (let code = 0x100; code < 0xd800; code++) yield String.fromCharCode(code)
  // More than the labels of which the rules fit into memory.
  for (let code = 0x10000; code < 0x110000; code++) yield String.fromCodePoint(code)
}

class SortedLabels {
  readonly #labels: readonly string[]

  constructor(labels: Iterable<string>) {
    // The default order is that of `<`, which prefixes need.
    this.#labels = [...new Set(labels)].toSorted()
  }

  /** Returns a name below the prefix that no label of at least its length matches. */
  witness(prefix: string): string {
    for (const character of characters()) {
      const name = prefix + character
      const next = this.#labels[lowerBound(this.#labels, label => label < name)]
      if (next?.startsWith(name) !== true) return name
    }
    throw new Error(`every character follows ${JSON.stringify(prefix)} in a label`)
  }

  /**
   * Returns names between which no set of labels above or below a name changes: for each label and each place where labels part, the first
   * name after the next shorter one, and itself.
   */
  *paths(): Iterable<string> {
    const labels = this.#labels
    const nodes = new Set(['', ...labels])
    for (const [at, label] of labels.entries())
      if (at > 0) nodes.add(label.slice(0, commonLength(labels[at - 1] ?? '', label)))
    const above: string[] = []
    for (const node of [...nodes].toSorted()) {
      while (!node.startsWith(above.at(-1) ?? '')) above.pop()
      const parent = above.at(-1)
      if (parent !== undefined && node.length > parent.length + 1) yield node.slice(0, parent.length + 1)
      yield node
      above.push(node)
    }
  }
}

const commonLength = (a: string, b: string): number => {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

const exact = (label: string): NamePoint => ({ scope: { match: 'exact', label }, name: label })

/** Returns one name of each set that rules with these labels can tell apart, except for the names below no label. */
export const namePoints = (labels: readonly ScopeName[]): readonly NamePoint[] => {
  const sorted = new SortedLabels(labels.map(({ label }) => label))
  const exacts = new Set(labels.flatMap(({ match, label }) => (match === 'exact' ? [label] : [])))
  const prefixes = new Set(labels.flatMap(({ match, label }) => (match === 'prefix' ? [label] : [])))
  return [
    ...Array.from(exacts, exact),
    ...Array.from(
      prefixes,
      label => ({ scope: { match: 'prefix', label }, name: sorted.witness(label) }) as const
    )
  ]
}

/** Returns the paths that suffice to compare decisions on trees of names. */
export const treePoints = (labels: readonly ScopeName[]): readonly NamePoint[] =>
  Array.from(new SortedLabels(labels.map(({ label }) => label)).paths(), exact)
