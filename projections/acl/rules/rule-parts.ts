// The parts of a rule text that can be read, where not all of it can: for those who want to hear of every fault at once.
import { positionsIn, isJson, parseSource, sourceOf } from './syntax.js'
import { RuleError } from './rule-error.js'
import type { Document, Item } from './tree.js'

/** What of a text can be read, and where it cannot. */
interface RuleParts {
  readonly document: Document
  readonly errors: readonly RuleError[]
}

/** A line that begins with the name of a rule: most likely the beginning of a top-level item. */
const RULE_LINE =
  /^(?:acl|keyring|operator|(?:agent|event|key|node|query|service|session|namespace|partition)(?:_prefix)?)(?![\w.-])/gim

/** Characters that may be parsed altogether: some times the text, and for short texts some more. */
const budgetFor = (source: string): number => 4 * source.length + 128 * 1024

/**
 * Parses what it can. After something in an HCL text that cannot be read, the items before it are read alone, and
 * reading is taken up again at the next line that begins with the name of a rule. A JSON text is read whole or not at
 * all. Time proportional to the length of the text.
 */
export const parseRuleParts = (text: string): RuleParts => {
  let source: string
  try {
    source = sourceOf(text)
  } catch (error) {
    if (error instanceof RuleError) return { document: documentOf([], positionsIn('')), errors: [error] }
    throw error
  }
  return new PartReader(source).read()
}

const documentOf = (items: readonly Item[], positionOf: Document['positionOf']): Document => ({
  notation: 'hcl',
  items,
  comments: [],
  positionOf
})

class PartReader {
  readonly #positionOf: Document['positionOf']
  /** Offsets of the lines that begin with the name of a rule. */
  readonly #starts: readonly number[]
  readonly #items: Item[] = []
  readonly #errors: RuleError[] = []
  readonly #lineStarts: readonly number[]
  #budget: number

  constructor(private readonly source: string) {
    this.#positionOf = positionsIn(source)
    this.#starts = Array.from(source.matchAll(RULE_LINE), ({ index }) => index)
    this.#lineStarts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)]
    this.#budget = budgetFor(source)
  }

  read(): RuleParts {
    const whole = this.#parse(0, this.source.length)
    if (!(whole instanceof RuleError)) return { document: whole, errors: [] }
    this.#errors.push(whole)
    if (!isJson(this.source)) this.#readAround(whole)
    return { document: documentOf(this.#items, this.#positionOf), errors: this.#errors }
  }

  #readAround(first: RuleError): void {
    let from = 0
    let error: RuleError | undefined = first
    while (error && this.#budget > 0) {
      const broken = this.#readBefore(from, error)
      const next = this.#starts.find(start => start > broken)
      if (next === undefined) return
      from = next
      const rest = this.#parse(from, this.source.length)
      if (rest instanceof RuleError) this.#note(rest)
      else this.#items.push(...rest.items)
      error = rest instanceof RuleError ? rest : undefined
    }
  }

  /** Keeps the items before the one that cannot be read, and answers with the offset of that one. */
  #readBefore(from: number, { line }: RuleError): number {
    const lineStart = this.#lineStarts[line - 1] ?? 0
    const before = this.#starts.filter(start => start < lineStart)
    for (const start of [...before, lineStart].filter(one => one > from).toReversed()) {
      if (this.#budget <= 0) break
      const part = this.#parse(from, start)
      if (part instanceof RuleError) continue
      this.#items.push(...part.items)
      return start
    }
    return from
  }

  /** A closing brace that is left over belongs to what could not be read. */
  #note(error: RuleError): void {
    const isKnown = this.#errors.some(({ line, column }) => line === error.line && column === error.column)
    const lineStart = this.#lineStarts[error.line - 1] ?? 0
    const before = this.source.slice(lineStart, lineStart + error.column)
    if (!isKnown && before.trim() !== '}') this.#errors.push(error)
  }

  /** One stretch of the text, at its place. */
  #parse(from: number, to: number): Document | RuleError {
    this.#budget -= to
    const blanks = this.source.slice(0, from).replaceAll(/[^\n]/g, ' ')
    try {
      return parseSource(blanks + this.source.slice(from, to), this.#positionOf)
    } catch (error) {
      if (error instanceof RuleError) return error
      throw error
    }
  }
}
