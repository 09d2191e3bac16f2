import type { SyntaxFault } from '../../language/peggy.js'
import { parse as parseHcl, SyntaxError as HclError } from './hcl.js'
import { parse as parseJson, SyntaxError as JsonError } from './json.js'
import { lowerBound } from '../../../events/sorted-search.js'
import { RuleError } from './model.js'
import type { Document, Position } from './tree.js'

/** Prepares the look-up: linear in the text once, then logarithmic in its lines for each offset. */
export function positionsIn(text: string): (offset: number) => Position {
  const lineStarts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1)
  return offset => {
    const line = lowerBound(lineStarts, start => start <= offset)
    return { line, column: offset - (lineStarts[line - 1] ?? 0) + 1 }
  }
}

/** Longest rule text, in bytes of UTF-8. */
export const MAX_RULES_BYTES = 512 * 1024

/** Deepest nesting of blocks, objects and lists in a rule text. */
export const MAX_RULES_DEPTH = 64

/**
 * Parses a rule text: JSON if its first non-blank character is `{`, otherwise HCL version 1 (spec: acl.md §8.1).
 * Takes time proportional to the length of the text.
 * @throws {RuleError} with `syntax` set, if the text is too long, too deep or neither notation
 */
export function parseDocument(text: string): Document {
  const source = sourceOf(text)
  return parseSource(source, positionsIn(source))
}

/** Normalizes line ends. @throws {RuleError} if the text is too long or contains a null character */
export function sourceOf(text: string): string {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_RULES_BYTES)
    throw RuleError.ofSyntax(`the text has ${bytes} bytes, more than ${MAX_RULES_BYTES}`, 1, 1)
  const source = text.replaceAll('\r\n', '\n')
  refuseNull(source)
  return source
}

export const isJson = (source: string): boolean => /^[ \t\r\n]*\{/.test(source)

/** Parses a text of `sourceOf`. @throws {RuleError} with `syntax` set, if it is too deep or neither notation */
export function parseSource(source: string, positionOf: Document['positionOf']): Document {
  const options = { maxDepth: MAX_RULES_DEPTH }
  try {
    const tree = isJson(source) ? parseJson(source, options) : parseHcl(source, options)
    return { ...tree, positionOf }
  } catch (error) {
    if (!(error instanceof HclError || error instanceof JsonError)) throw error
    const { line, column } = error.location.start
    throw RuleError.ofSyntax(describe(error), line, column)
  }
}

function refuseNull(text: string): void {
  const at = text.indexOf('\0')
  if (at < 0) return
  const { line, column } = positionsIn(text)(at)
  throw RuleError.ofSyntax('unexpected null character (0x00)', line, column)
}

/** Describes expected and found tokens; blanks and comments, which are allowed anywhere, are omitted. */
function describe(error: SyntaxFault): string {
  if (error.expected === null) return error.message
  const expected = new Set<string>()
  for (const { type, description, text } of error.expected) {
    if (type === 'literal') expected.add(JSON.stringify(text))
    else if (type === 'other' && description !== 'blank') expected.add(description ?? '')
    else if (type === 'end' || type === 'not') expected.add('end of text')
  }
  const found = error.found === null ? 'end of text' : JSON.stringify(error.found)
  return expected.size === 0
    ? `illegal character ${found}`
    : `expected ${[...expected].toSorted().join(', ')} but found ${found}`
}
