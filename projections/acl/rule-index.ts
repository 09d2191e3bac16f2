// The rules of one resource in one namespace, and which of them decides (spec: acl.md §9.3 to §9.7).
import type { SourcedRule } from './merge.js'
import type { Level, Match } from './rules/model.js'
import { RadixTree } from '../radix-tree.js'

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

/** What a request wants to do; `list` and `write-prefix` exist for keys only. */
export type Access = 'read' | 'list' | 'write' | 'write-prefix'

/** A rule that decides, and the level it has after merging (for intentions: the derived one). */
export interface DecidingRule extends SourcedRule {
  readonly level: Level
}

/** An entry of the index. */
export interface IndexedRule {
  readonly match: Match
  readonly label: string
  readonly deciding: DecidingRule
}

const GRANTED: Readonly<Record<Level, Readonly<Record<Access, boolean>>>> = {
  deny: { read: false, list: false, write: false, 'write-prefix': false },
  read: { read: true, list: false, write: false, 'write-prefix': false },
  list: { read: true, list: true, write: false, 'write-prefix': false },
  write: { read: true, list: true, write: true, 'write-prefix': true }
}

/** Whether a level grants an access (spec: acl.md §9.3). */
export const grants = (level: Level, access: Access): boolean => GRANTED[level][access]

/** Built once, from rules that all differ in match or label. Every question allocates nothing. */
export class RuleIndex {
  readonly #table: LabelTable<DecidingRule>
  /** Those that do not grant write, by label. */
  readonly #notWrite: readonly IndexedRule[]
  readonly #anyRead: DecidingRule | undefined
  readonly #anyNotRead: DecidingRule | undefined
  readonly #everything: DecidingRule | undefined

  constructor(rules: readonly IndexedRule[]) {
    this.#table = new LabelTable(rules.map(({ match, label, deciding }) => [match, label, deciding]))
    this.#notWrite = rules
      .filter(({ deciding }) => deciding.level !== 'write')
      .toSorted((a, b) => (a.label < b.label ? -1 : Number(a.label > b.label)))
    this.#anyRead = rules.find(({ deciding }) => grants(deciding.level, 'read'))?.deciding
    this.#anyNotRead = rules.find(({ deciding }) => !grants(deciding.level, 'read'))?.deciding
    this.#everything = this.#table.longestPrefix('')
  }

  /** The exact rule of this name, else the longest prefix. Undefined: no answer. */
  forName(name: string): DecidingRule | undefined {
    return this.#table.first(name)?.value
  }

  /** For writing the whole tree below a path; a rule that is not write refuses it (spec: acl.md §9.5). */
  forTree(path: string): DecidingRule | undefined {
    const above = this.#table.longestPrefix(path)
    if (above !== undefined && above.level !== 'write') return above
    return this.#notWriteBelow(path) ?? above
  }

  /** For the intentions of the name `*` (spec: acl.md §9.4). */
  forEveryIntention(access: Access): DecidingRule | undefined {
    return (access === 'read' ? this.#anyRead : this.#notWrite[0]?.deciding) ?? this.#everything
  }

  /** For reading all things of the resource (spec: acl.md §9.7). */
  forAll(): DecidingRule | undefined {
    return this.#anyNotRead ?? this.#everything
  }

  /** Some rule that grants anything at all. */
  anyAccess(): DecidingRule | undefined {
    return this.#anyRead
  }

  #notWriteBelow(path: string): DecidingRule | undefined {
    const rules = this.#notWrite
    let low = 0
    let high = rules.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((rules[middle]?.label ?? '') < path) low = middle + 1
      else high = middle
    }
    const candidate = rules[low]
    return candidate?.label.startsWith(path) === true ? candidate.deciding : undefined
  }
}
