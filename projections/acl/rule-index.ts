import type { SourcedRule } from './merge.js'
import type { Level, Match } from './rules/model.js'
import { RadixTree } from '../radix-tree.js'
import { lowerBound } from '../../events/sorted-search.js'

/** A value and the next less specific one. */
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
      if (match === 'prefix') this.#prefixes.put(label, { value, next: this.#prefixes.longestPrefix(label) })
    for (const [match, label, value] of shortFirst)
      if (match === 'exact') this.#exact.set(label, { value, next: this.#prefixes.longestPrefix(label) })
  }

  /** The exact label, else the longest prefix; its `next` leads to all other prefixes of the name. */
  first(name: string): Link<V> | undefined {
    return this.#exact.get(name) ?? this.#prefixes.longestPrefix(name)
  }

  /** The longest prefix of the name, without exact labels. */
  longestPrefix(name: string): V | undefined {
    return this.#prefixes.longestPrefix(name)?.value
  }
}

/** `list` and `write-prefix` exist for keys only. */
export type Access = 'read' | 'list' | 'write' | 'write-prefix'

/** A deciding rule with its level after merging (for intentions: the derived one). */
export interface DecidingRule extends SourcedRule {
  readonly level: Level
}

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

/** Decides if a level grants an access (spec: acl.md §9.3). */
export const grants = (level: Level, access: Access): boolean => GRANTED[level][access]

/** The rule that decides, or the decision of the default policy. */
export type Ruling = DecidingRule | boolean

export const isGranted = (ruling: Ruling, access: Access): boolean =>
  typeof ruling === 'boolean' ? ruling : GRANTED[ruling.level][access]

const rulesWithoutWrite = (rules: readonly IndexedRule[]): IndexedRule[] =>
  rules
    .filter(({ deciding }) => deciding.level !== 'write')
    .toSorted((a, b) => (a.label < b.label ? -1 : Number(a.label > b.label)))

/** Rules of one resource in one namespace (acl.md §9.3 to §9.7). Built once, from rules that all differ in match or label. No look-up allocates. */
export class RuleIndex {
  readonly #table: LabelTable<DecidingRule>
  /** The rules that do not grant write, by label. */
  readonly #notWrite: readonly IndexedRule[]
  readonly #anyRead: DecidingRule | undefined
  readonly #anyNotRead: DecidingRule | undefined
  readonly #everything: DecidingRule | undefined

  constructor(rules: readonly IndexedRule[]) {
    this.#table = new LabelTable(rules.map(({ match, label, deciding }) => [match, label, deciding]))
    this.#notWrite = rulesWithoutWrite(rules)
    this.#anyRead = rules.find(({ deciding }) => grants(deciding.level, 'read'))?.deciding
    this.#anyNotRead = rules.find(({ deciding }) => !grants(deciding.level, 'read'))?.deciding
    this.#everything = this.#table.longestPrefix('')
  }

  /** The exact rule of the name, else the longest prefix. */
  forName(name: string): DecidingRule | undefined {
    return this.#table.first(name)?.value
  }

  /** For writing every key below a path; a rule that is not write refuses it (spec: acl.md §9.5). */
  forTree(path: string): DecidingRule | undefined {
    const above = this.#table.longestPrefix(path)
    if (above !== undefined && above.level !== 'write') return above
    return this.#notWriteBelow(path) ?? above
  }

  /** For the intentions of the name `*` (spec: acl.md §9.4). */
  forEveryIntention(access: Access): DecidingRule | undefined {
    return (access === 'read' ? this.#anyRead : this.#notWrite[0]?.deciding) ?? this.#everything
  }

  /** For reading every resource of the kind (spec: acl.md §9.7). */
  forAll(): DecidingRule | undefined {
    return this.#anyNotRead ?? this.#everything
  }

  #notWriteBelow(path: string): DecidingRule | undefined {
    const rules = this.#notWrite
    const candidate = rules[lowerBound(rules, ({ label }) => label < path)]
    return candidate?.label.startsWith(path) === true ? candidate.deciding : undefined
  }
}
