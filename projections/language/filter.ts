import { recover } from '../../events/errors.js'
import { parse, SyntaxError } from './filter-grammar.js'
import { FilterError, type Expression, type Fields } from './filter-syntax.js'
import { compileMatch } from './match.js'
import { PatternAllowance, PatternError } from './pattern.js'

export { FilterError, type Expression } from './filter-syntax.js'
export type { Fields, FieldType } from './filter-syntax.js'

/** Longest expression, in bytes of UTF-8 (decisions.md 15). */
const MAX_FILTER_BYTES = 8 * 1024

const MAX_FILTER_DEPTH = 32

/** @throws FilterError if its patterns are too large for the texts of the value */
export type Predicate = (value: unknown) => boolean

/**
 * Parses a `filter=` or a selector of a binding rule (auth.md §6, state.md §13) in time proportional to its length. An empty text is an error:
 * callers handle it.
 * @throws FilterError that names line and column
 */
export const parseFilter = (text: string): Expression => {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_FILTER_BYTES)
    throw new FilterError(`the expression has ${bytes} bytes, more than ${MAX_FILTER_BYTES}`, 0)
  return recover(
    () => parse(text, { maxDepth: MAX_FILTER_DEPTH }),
    SyntaxError,
    ({ location, message }) => {
      const { offset, line, column } = location.start
      throw new FilterError(`${line}:${column} (${offset}): ${message}`, offset)
    }
  )
}

/**
 * Compiles an expression over values with these fields. A predicate takes time proportional to the expression and to the
 * compared texts; `and` and `or` stop early. The total cost of its patterns is bounded for compilation and each value.
 * @throws FilterError for an undeclared field, an operator or value that does not fit its type, or an invalid pattern
 */
export const compileFilter = (expression: Expression, fields: Fields): Predicate => {
  const patterns = new PatternAllowance()
  const passes = compile(expression, fields, patterns)
  return value => {
    patterns.begin()
    return recover(
      () => passes(value),
      PatternError,
      ({ message }) => {
        throw new FilterError(message, 0)
      }
    )
  }
}

const compile = (expression: Expression, fields: Fields, patterns: PatternAllowance): Predicate => {
  switch (expression.type) {
    case 'match':
      return compileMatch(expression, fields, patterns)
    case 'not': {
      const passes = compile(expression.operand, fields, patterns)
      return value => !passes(value)
    }
    case 'and': {
      const all = expression.operands.map(operand => compile(operand, fields, patterns))
      return value => all.every(passes => passes(value))
    }
    case 'or': {
      const any = expression.operands.map(operand => compile(operand, fields, patterns))
      return value => any.some(passes => passes(value))
    }
  }
}
