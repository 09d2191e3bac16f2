import type { Comment, Document, Gap, Item, Value } from './tree.js'

export type CommentGroup = readonly Comment[]

type Owner = Item | Value

export interface Attachments {
  /** Directly above the owner. */
  readonly lead: ReadonlyMap<Owner, CommentGroup>
  /** After the owner, on the same line. */
  readonly line: ReadonlyMap<Owner, CommentGroup>
  /** Without an owner, in the order of the text. */
  readonly standalone: readonly CommentGroup[]
}

interface CommentedGap extends Gap {
  readonly comments: CommentGroup
}

const endOf = ({ text, start }: Comment, lineAt: (offset: number) => number): number =>
  lineAt(start) + (text.startsWith('/*') ? text.split('\n').length - 1 : 0)

/** Scans the tokens of a text with one token of look-ahead, and assigns each group of comments to an adjacent owner. Linear in the tree. */
class CommentScanner {
  readonly lead = new Map<Owner, CommentGroup>()
  readonly line = new Map<Owner, CommentGroup>()
  readonly groups: CommentGroup[] = []
  readonly #gaps: readonly CommentedGap[]
  readonly #lineAt: (offset: number) => number
  #at = 0
  /** Groups whose owner is not known yet. */
  #above: CommentGroup | undefined
  #behind: CommentGroup | undefined

  constructor(document: Document) {
    this.#lineAt = offset => document.positionOf(offset).line
    const gaps: { gap: Gap; comments: Comment[] }[] = []
    for (const comment of document.comments) {
      const last = gaps.at(-1)
      if (last?.gap.start === comment.gap.start) last.comments.push(comment)
      else gaps.push({ gap: comment.gap, comments: [comment] })
    }
    this.#gaps = gaps.map(({ gap, comments }) => ({ ...gap, comments }))
  }

  items(items: readonly Item[]): void {
    for (const item of items) this.#item(item)
  }

  /** Reads the gaps up to the token at this offset. */
  upTo(offset: number): void {
    for (let gap = this.#gaps[this.#at]; gap && gap.end <= offset; gap = this.#gaps[this.#at]) this.#read(gap)
  }

  #item(item: Item): void {
    const { keys, value, assigned } = item
    for (const key of keys) this.upTo(key.start)
    const last = keys.at(-1) ?? keys[0]
    if (assigned) this.#readIf(gap => gap.start >= last.end && gap.next === '=')
    else this.upTo(value.start)
    this.#take('above', item)
    this.upTo(value.start)
    this.#value(value)
    this.#take('behind', item)
    this.#readIf(gap => gap.start === value.end)
    if (this.#lineAt(value.start) === this.#lineAt(keys[0].start)) this.#take('behind', item)
  }

  #value(value: Value): void {
    if (value.type === 'object') {
      this.items(value.items)
      this.upTo(value.end - 1)
    } else if (value.type === 'list') {
      const close = value.end - 1
      value.elements.forEach((element, i) => this.#element(element, value.elements[i + 1]?.start ?? close))
      this.upTo(close)
    }
  }

  /** @param next offset of the next element or of the end of the list */
  #element(element: Value, next: number): void {
    this.upTo(element.start)
    const isLiteral = element.type !== 'object' && element.type !== 'list'
    if (isLiteral) this.#take('above', element)
    else this.#value(element)
    this.#readIf(gap => gap.start === element.end && gap.next === ',')
    this.#readIf(gap => gap.start > element.end && gap.end <= next)
    if (isLiteral) this.#take('behind', element)
  }

  #readIf(condition: (gap: CommentedGap) => boolean): void {
    const gap = this.#gaps[this.#at]
    if (gap && condition(gap)) this.#read(gap)
  }

  #take(place: 'above' | 'behind', owner: Owner): void {
    const group = place === 'above' ? this.#above : this.#behind
    if (group === undefined) return
    if (place === 'above') {
      this.lead.set(owner, group)
      this.#above = undefined
    } else {
      this.line.set(owner, group)
      this.#behind = undefined
    }
  }

  /** Splits a gap into groups, and notes the one for the preceding and the one for the next owner. */
  #read({ comments, start, end, next }: CommentedGap): void {
    this.#at++
    const lineOfNext = this.#lineAt(end)
    const [first] = comments
    let from = 0
    if (first && start > 0 && this.#lineAt(start - 1) === this.#lineAt(first.start)) {
      const { group, endLine } = this.#groupOf(comments, 0, 0)
      from = group.length
      const following = comments[from]
      if ((following ? this.#lineAt(following.start) : lineOfNext) !== endLine) this.#behind = group
    }
    while (from < comments.length) {
      const { group, endLine } = this.#groupOf(comments, from, 1)
      from += group.length
      const isLast = from === comments.length
      if (isLast && endLine + 1 === lineOfNext && next !== '}' && next !== ']') this.#above = group
    }
  }

  /** The comments from `from` on that each begin at most `distance` lines below the end of the previous one. */
  #groupOf(comments: CommentGroup, from: number, distance: number) {
    const group: Comment[] = []
    let endLine = Infinity
    for (let i = from; i < comments.length; i++) {
      const comment = comments[i]
      if (!comment || this.#lineAt(comment.start) > endLine + distance) break
      group.push(comment)
      endLine = endOf(comment, this.#lineAt)
    }
    this.groups.push(group)
    return { group, endLine }
  }
}

/** Assigns comments to the items of a rule text (spec: acl.md §13.3). Linear in the text, but for lines, which are found by binary search. */
export const attachComments = (document: Document): Attachments => {
  const scanner = new CommentScanner(document)
  scanner.items(document.items)
  scanner.upTo(Infinity)
  const { lead, line, groups } = scanner
  const owned = new Set([...lead.values(), ...line.values()])
  return { lead, line, standalone: groups.filter(group => !owned.has(group)) }
}
