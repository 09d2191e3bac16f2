import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { recover } from '../../../events/errors.js'
import { runAtOnce, type Steps } from '../../steps.js'
import { readDocument } from './parse.js'
import { documentInSteps, positionsIn, isJson, parseSource, sourceOf } from './syntax.js'
import { RuleError } from './model.js'
import type { Document, Item } from './tree.js'

/** A line that begins with the name of a rule, most likely the beginning of a top-level item. */
const RULE_LINE =
  /^(?:acl|keyring|operator|(?:agent|event|key|node|query|service|session|namespace|partition)(?:_prefix)?)(?![\w.-])/gim

/** Bounds the characters to parse: a multiple of the text, plus a constant for short texts. */
const budgetFor = (source: string): number => 4 * source.length + 128 * 1024

/**
 * Parses as much as possible. After a syntax error in an HCL text, the items before it are parsed alone, and parsing resumes at the next line that
 * begins with the name of a rule. A JSON text has no parts. Takes time proportional to the length of the text.
 */
function* parseRuleParts(text: string): Steps<RuleParts> {
  const source = recover(
    () => sourceOf(text),
    RuleError,
    error => error
  )
  if (source instanceof RuleError) return { document: documentOf([], positionsIn('')), errors: [source] }
  try {
    return { document: yield* documentInSteps(source), errors: [] }
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    return yield* new PartReader(source).readAround(error)
  }
}

interface RuleParts {
  readonly document: Document
  readonly errors: readonly RuleError[]
}

const documentOf = (items: readonly Item[], positionOf: Document['positionOf']): Document => ({
  notation: 'hcl',
  items,
  comments: [],
  positionOf
})

class PartReader {
  readonly #positionOf: Document['positionOf']
  /** Offsets of the lines that match `RULE_LINE`. */
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

  /** Reads what is valid before and after errors, of which the first is known. */
  *readAround(first: RuleError): Steps<RuleParts> {
    this.#errors.push(first)
    let from = 0
    let error: RuleError | undefined = isJson(this.source) ? undefined : first
    while (error && this.#budget > 0) {
      const broken: number = yield* this.#readBefore(from, error)
      const next = this.#starts.find(start => start > broken)
      if (next === undefined) break
      from = next
      const rest = this.#parse(from, this.source.length)
      yield
      if (rest instanceof RuleError) this.#note(rest)
      else this.#items.push(...rest.items)
      error = rest instanceof RuleError ? rest : undefined
    }
    return { document: documentOf(this.#items, this.#positionOf), errors: this.#errors }
  }

  /** Adds the items before the invalid one, and returns the offset of that one. */
  *#readBefore(from: number, { line }: RuleError): Steps<number> {
    const lineStart = this.#lineStarts[line - 1] ?? 0
    const before = this.#starts.filter(start => start < lineStart)
    for (const start of [...before, lineStart].filter(one => one > from).toReversed()) {
      if (this.#budget <= 0) break
      const part = this.#parse(from, start)
      yield
      if (part instanceof RuleError) continue
      this.#items.push(...part.items)
      return start
    }
    return from
  }

  /** Ignores an unmatched closing brace, which belongs to the invalid item. */
  #note(error: RuleError): void {
    const isKnown = this.#errors.some(({ line, column }) => line === error.line && column === error.column)
    const lineStart = this.#lineStarts[error.line - 1] ?? 0
    const before = this.source.slice(lineStart, lineStart + error.column)
    if (!isKnown && before.trim() !== '}') this.#errors.push(error)
  }

  #parse(from: number, to: number): Document | RuleError {
    this.#budget -= to - from
    const part = { offset: from, isContinued: false }
    return recover(
      () => parseSource(this.source.slice(from, to), this.#positionOf, part),
      RuleError,
      error => error
    )
  }
}

/** Parses an invalid text too, and returns every error in order. Takes time proportional to its length, also after syntax errors. */
export function* examineInSteps(text: string, home: Tenancy) {
  const { document, errors } = yield* parseRuleParts(text)
  const found = [...errors]
  const read = readDocument(document, home, step => recover(step, RuleError, error => void found.push(error)))
  const rules = yield* read
  return { rules, errors: found.toSorted((a, b) => a.line - b.line || a.column - b.column) }
}

export const examineRules = (text: string, home: Tenancy = DEFAULT_TENANCY) =>
  runAtOnce(examineInSteps(text, home))
