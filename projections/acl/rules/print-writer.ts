// Writes text with indented lines, two blanks a level.
import type { CommentGroup } from './comments.js'
import type { Value } from './tree.js'

/** The text as written; a heredoc without its last line feed. `null` exists in JSON only and is omitted. */
export const printedText = (value: Value): string => {
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

export const linesOf = (text: string): number => text.split('\n').length

export const textOf = (group: CommentGroup): string => group.map(({ text }) => text).join('')

const LEVEL = '  '

export class PrintWriter {
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
