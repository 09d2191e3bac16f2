import { attachComments, type Attachments, type CommentGroup } from './comments.js'
import type { Document, Item, ListValue, ObjectValue, Value } from './tree.js'

/** The text as written; a heredoc without its last line feed. `null` exists in JSON only and is omitted. */
const printedText = (value: Value): string => {
  switch (value.type) {
    case 'heredoc':
      return value.text.replace(/\n$/, '')
    case 'string':
    case 'number':
    case 'boolean':
      return value.text
    case 'null':
    case 'object':
    case 'list':
      return ''
  }
}

const linesOf = (text: string): number => text.split('\n').length

const textOf = (group: CommentGroup): string => group.map(({ text }) => text).join('')

const LEVEL = '  '

class PrintWriter {
  readonly #lines: string[] = ['']
  #depth = 0

  /** Runs `print` one level deeper. */
  deeper(print: () => void): void {
    this.#depth++
    print()
    this.#depth--
  }

  /** Further lines of the text get the indentation of the current one. */
  write(text: string): void {
    const [first = '', ...rest] = text.split('\n')
    this.#append(first)
    for (const line of rest) {
      this.newline()
      this.#append(line)
    }
  }

  /** Further lines of the text stay unchanged: their blanks are part of a value or a comment. */
  writeAsIs(text: string): void {
    const [first = '', ...rest] = text.split('\n')
    this.#append(first)
    this.#lines.push(...rest)
  }

  newline(): void {
    this.#lines.push('')
  }

  toString(): string {
    return this.#lines.join('\n')
  }

  /** A line is indented with its first character, so that empty lines stay empty. */
  #append(text: string): void {
    if (text === '') return
    const last = this.#lines.length - 1
    const line = this.#lines[last] ?? ''
    this.#lines[last] = (line === '' ? LEVEL.repeat(this.#depth) : line) + text
  }
}

/** Returns the text of a tree in canonical HCL, with comments (spec: acl.md §13.3). Takes time linear in the text times the depth of its nesting. */
export const printRules = (document: Document): string => new Printer(document).print()

/** Adjacent empty blocks without comments need no blank line between them. */
const isEmptyBlock = ({ assigned, value }: Item): boolean =>
  !assigned && value.type === 'object' && value.items.length === 0

const widest = (texts: readonly string[]): number =>
  texts.reduce((width, text) => Math.max(width, Buffer.byteLength(text)), 0)

class Printer {
  readonly #writer = new PrintWriter()
  readonly #comments: Attachments
  /** The first standalone group of comments that is not printed yet. */
  #next = 0

  constructor(private readonly document: Document) {
    this.#comments = attachComments(document)
  }

  print(): string {
    const { items } = this.document
    const writer = this.#writer
    items.forEach((item, i) => {
      for (const group of this.#standaloneBefore(item.start)) {
        for (const { text } of group) writer.writeAsIs(`${text}\n`)
        writer.newline()
      }
      this.#item(item)
      const next = items[i + 1]
      if (!next) return
      writer.newline()
      if (!this.#areEmptyNeighbours(item, next)) writer.newline()
    })
    for (const group of this.#standaloneBefore(Infinity)) {
      if (items.length > 0) writer.write('\n\n')
      for (const { text } of group) writer.writeAsIs(`${text}\n`)
    }
    return writer.toString()
  }

  /** JSON has no lines. */
  #lineOf(offset: number): number {
    return this.document.notation === 'json' ? 0 : this.document.positionOf(offset).line
  }

  #areEmptyNeighbours(item: Item, next: Item): boolean {
    const isPlain = (one: Item): boolean => isEmptyBlock(one) && !this.#comments.lead.has(one)
    return this.#isOnNextLine(item, next) && isPlain(item) && isPlain(next)
  }

  #isOnNextLine(item: Item, next: Item | undefined): boolean {
    return next !== undefined && this.#lineOf(next.start) === this.#lineOf(item.start) + 1
  }

  #isOnOneLine({ keys, value }: Item): boolean {
    return this.#lineOf(value.start) === this.#lineOf(keys[0].start)
  }

  /** The standalone groups before an offset, each once. */
  #standaloneBefore(offset: number): readonly CommentGroup[] {
    const { standalone } = this.#comments
    const from = this.#next
    while ((standalone[this.#next]?.[0]?.start ?? Infinity) < offset) this.#next++
    return standalone.slice(from, this.#next)
  }

  /** Looks for a standalone comment between two offsets; every group before `from` is printed. */
  #hasStandalone(from: number, to: number): boolean {
    const { standalone } = this.#comments
    for (let i = this.#next; i < standalone.length; i++) {
      const start = standalone[i]?.[0]?.start ?? 0
      if (start >= from) return start < to
    }
    return false
  }

  #item(item: Item): void {
    const { keys, assigned, value } = item
    this.#above(item)
    const equals = assigned && keys.length === 1 ? '= ' : ''
    this.#writer.write(`${keys.map(key => key.text).join(' ')} ${equals}`)
    this.#value(value)
    const line = this.#comments.line.get(item)
    if (line && this.#isOnOneLine(item)) this.#writer.write(` ${textOf(line)}`)
  }

  /** The comments above an item, including the one after a key whose value is on another line. */
  #above(item: Item): void {
    const { lead, line } = this.#comments
    const behind = this.#isOnOneLine(item) ? undefined : line.get(item)
    for (const { text } of [...(lead.get(item) ?? []), ...(behind ?? [])]) this.#writer.write(`${text}\n`)
  }

  #value(value: Value): void {
    if (value.type === 'object') this.#object(value)
    else if (value.type === 'list') this.#list(value)
    else this.#writer.writeAsIs(printedText(value))
  }

  #object({ items, end }: ObjectValue): void {
    const writer = this.#writer
    const first = items[0]?.start ?? end - 1
    writer.write('{')
    if (items.length > 0 || this.#hasStandalone(0, first)) writer.newline()
    writer.deeper(() => {
      let isCommented = false
      for (let i = 0; i < items.length;) {
        const item = items[i]
        if (!item) break
        if (this.#standaloneInside(item.start, i > 0, this.#lineOf(item.start)) && i > 0) isCommented = true
        const group = this.#aligned(items, i)
        if (i > 0 && !isCommented) writer.newline()
        if (group.length > 0) this.#group(group)
        else this.#item(item)
        writer.newline()
        i += Math.max(group.length, 1)
      }
      this.#standaloneInside(end - 1, items.length > 0, undefined)
    })
    writer.write('}')
  }

  /**
   * Prints the standalone comments before an item, or before the end of the block.
   * @param line that of the item; a blank line separates it from a comment that does not end right above it
   * @returns true if there were any
   */
  #standaloneInside(offset: number, isBetween: boolean, line: number | undefined): boolean {
    const groups = this.#standaloneBefore(offset)
    const writer = this.#writer
    for (const group of groups) {
      group.forEach(({ text }, i) => {
        if (isBetween || i > 0) writer.newline()
        writer.writeAsIs(text)
      })
      writer.newline()
      const last = group.at(-1)
      if (line !== undefined && last && line !== this.#lineOf(last.start) + 1) writer.newline()
    }
    return groups.length > 0
  }

  /** The items from `from` on that are printed as a group: short ones on consecutive lines. */
  #aligned(items: readonly Item[], from: number): readonly Item[] {
    const group: Item[] = []
    if (items.length === 1) return group
    for (let i = from; i < items.length; i++) {
      const item = items[i]
      if (!item || this.#lines(item) > 2) break
      const next = items[i + 1]
      const previous = items[i - 1]
      const isFollowed = this.#isOnNextLine(item, next)
      if (!isFollowed && !(previous && this.#isOnNextLine(previous, item))) break
      group.push(item)
      if (!isFollowed || (next && this.#hasStandalone(item.start, next.start))) break
    }
    return group
  }

  /** The number of printed lines of an item; more than two count as three. */
  #lines(item: Item): number {
    const { value } = item
    const { lead, line } = this.#comments
    if (line.has(item) && !this.#isOnOneLine(item)) return 3
    if (value.type === 'list' && !this.#isOneLineList(value)) return 3
    if (value.type === 'object' && (value.items.length > 0 || this.#hasStandalone(value.start, value.end)))
      return 3
    const comments = [...(lead.get(item) ?? []), ...(line.get(item) ?? [])]
    const ofComments =
      comments.reduce((sum, { text }) => sum + linesOf(text), 0) - (line.get(item)?.length ?? 0)
    return ofComments + linesOf(this.#shortText(value))
  }

  #shortText(value: Value): string {
    if (value.type === 'object') return '{}'
    return value.type === 'list' ? this.#oneLineText(value) : printedText(value)
  }

  #group(items: readonly Item[]): void {
    const writer = this.#writer
    const keyWidth = widest(items.map(({ keys }) => keys[0].text))
    const values = items.map(({ value }) => this.#shortText(value))
    const valueWidth = widest(values)
    const padded = (text: string, width: number): string =>
      text + ' '.repeat(Math.max(width - Buffer.byteLength(text), 0) + 1)
    items.forEach((item, i) => {
      if (i > 0) writer.newline()
      this.#above(item)
      for (const { text } of item.keys) writer.write(padded(text, keyWidth))
      if (item.keys.length === 1) writer.write('= ')
      const value = values[i] ?? ''
      const line = this.#comments.line.get(item)
      writer.writeAsIs(line ? padded(value, valueWidth) : value)
      if (line) writer.write(textOf(line))
    })
  }

  #isOneLineList({ elements, start }: ListValue): boolean {
    return elements.every(
      element =>
        this.#lineOf(element.start) === this.#lineOf(start) &&
        element.type !== 'object' &&
        element.type !== 'list' &&
        !(element.type === 'heredoc' && elements.length > 1) &&
        !this.#comments.line.has(element)
    )
  }

  #oneLineText({ elements }: ListValue): string {
    const text = elements.map(printedText).join(', ')
    return `[${text}${elements[0]?.type === 'heredoc' ? '\n' : ''}]`
  }

  #list(list: ListValue): void {
    const writer = this.#writer
    const { elements } = list
    if (this.#isOneLineList(list)) {
      const isHeredoc = elements[0]?.type === 'heredoc'
      writer.write('[')
      writer.writeAsIs(elements.map(printedText).join(', '))
      if (isHeredoc) writer.newline()
      writer.write(']')
      return
    }
    const literals = elements.filter(({ type }) => type !== 'object' && type !== 'list')
    const width = widest(literals.map(printedText))
    writer.write('[')
    writer.newline()
    writer.deeper(() => {
      let isApart = false
      elements.forEach((element, i) => {
        const lead = this.#comments.lead.get(element)
        if (lead && i > 0 && !isApart) writer.newline()
        for (const { text } of lead ?? []) writer.write(`${text}\n`)
        this.#value(element)
        if (element.type === 'heredoc') writer.newline()
        writer.write(',')
        const line = this.#comments.line.get(element)
        if (line)
          writer.write(` ${' '.repeat(width - Buffer.byteLength(printedText(element)))}${textOf(line)}`)
        writer.newline()
        isApart = lead !== undefined && i < elements.length - 1
        if (isApart) writer.newline()
      })
    })
    writer.write(']')
  }
}
