import type { SyntaxFault, TextPart } from '../../language/peggy.js'
import { parse as parseHcl, SyntaxError as HclError } from './hcl.js'
import { parse as parseJson, SyntaxError as JsonError } from './json.js'
import { recover } from '../../../events/errors.js'
import { lowerBound } from '../../../events/sorted-search.js'
import type { Steps } from '../../steps.js'
import { RuleError } from './model.js'
import type { Comment, Document, Item, Position } from './tree.js'

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

const WHOLE: TextPart = { offset: 0, isContinued: false }

/**
 * Parses a text of `sourceOf`, or a part of an HCL text.
 * @param positionOf position of an offset in the whole text
 * @throws {RuleError} with `syntax` set, if it is too deep or neither notation
 */
export function parseSource(source: string, positionOf: Document['positionOf'], part = WHOLE): Document {
  const options = { maxDepth: MAX_RULES_DEPTH, ...part }
  try {
    const tree = isJson(source) ? parseJson(source, options) : parseHcl(source, options)
    return { ...tree, positionOf }
  } catch (error) {
    if (!(error instanceof HclError || error instanceof JsonError)) throw error
    const { line, column } = positionOf(part.offset + error.location.start.offset)
    throw RuleError.ofSyntax(describe(error), line, column)
  }
}

/** Characters that a step parses, about a millisecond. */
export const STEP_LENGTH = 8192

/** The end of a top-level item, and the beginning of the next one on a later line. */
const ITEM_END = /\}[ \t]*\n\s*(?=["\p{L}_])/gu

/** Returns the offset of the first item that begins at least a step after another offset, or of the end of the text. */
const nextPart = (source: string, from: number): number => {
  ITEM_END.lastIndex = from + STEP_LENGTH
  return ITEM_END.test(source) ? ITEM_END.lastIndex : source.length
}

/**
 * Parses as `parseDocument` does, in steps. A part that is valid alone is what the parser of the whole text would read there, because a part ends after a brace and its parser does not accept a value that the end of the text replaces. If a part is invalid, the whole
 * text is parsed in one step: its parts may be none, such as lines of a heredoc.
 */
export function* documentInSteps(text: string): Steps<Document> {
  const source = sourceOf(text)
  const positionOf = positionsIn(source)
  if (source.length <= STEP_LENGTH || isJson(source)) return parseSource(source, positionOf)
  const items: Item[] = []
  const comments: Comment[] = []
  for (let from = 0; from < source.length;) {
    const to = nextPart(source, from)
    const part = recover(
      () =>
        parseSource(source.slice(from, to), positionOf, { offset: from, isContinued: to < source.length }),
      RuleError,
      () => undefined
    )
    if (!part) return parseSource(source, positionOf)
    for (const item of part.items) items.push(item)
    for (const comment of part.comments) comments.push(comment)
    from = to
    yield
  }
  return { notation: 'hcl', items, comments, positionOf }
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
