import { recover } from '../../events/errors.js'
import { FALSE_TEXTS, isObject, TRUE_TEXTS } from '../../events/values.js'
import { FilterError, type Fields, type FieldType, type Match, type MatchOperator } from './filter-syntax.js'
import { PatternError, type Pattern, type PatternAllowance } from './pattern.js'

/** A test of the value at the path; `undefined` stands for a missing key of a map. */
type Test = (value: unknown) => boolean

const NEGATED: Readonly<Record<MatchOperator, boolean>> = {
  Equal: false,
  'Not Equal': true,
  In: false,
  'Not In': true,
  Matches: false,
  'Not Matches': true,
  'Is Empty': false,
  'Is Not Empty': true
}

/** An unsigned integer in Go's syntax with base 0; single underscores may separate digits. */
const INTEGER = /^(0[xX](_?[0-9a-fA-F])+|0[oO]?(_?[0-7])+|0[bB](_?[01])+|0|[1-9](_?[0-9])*)$/
const MAX_DIGITS = 66
const MAX_INT64 = 2n ** 63n - 1n

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Ignores inherited fields. */
const fieldOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** Compiles one match of a filter. @throws FilterError if the path is not declared, or its operator or value does not fit */
export const compileMatch = (match: Match, fields: Fields, patterns: PatternAllowance): Test =>
  step({ type: 'object', fields }, match, 0, patterns)

const shown = ({ field }: Match): string => field.path.join('.')

const notValid = (match: Match): FilterError =>
  new FilterError(`Selector "${shown(match)}" is not valid`, match.field.position)

const step = (type: FieldType, match: Match, at: number, patterns: PatternAllowance): Test => {
  const name = match.field.path[at]
  if (name === undefined) return leaf(type, match, patterns)
  switch (type.type) {
    case 'object': {
      const test = step(declared(type.fields, name, match), match, at + 1, patterns)
      return value => test(fieldOf(value, name) ?? null)
    }
    case 'objects': {
      const test = step(declared(type.fields, name, match), match, at + 1, patterns)
      return value => listOf(value).some(element => test(fieldOf(element, name) ?? null))
    }
    case 'map': {
      const test = step(type.of, match, at + 1, patterns)
      // A missing key meets every negated form and `is empty`, and no other (decisions.md 15).
      const missing =
        match.operator === 'Is Empty' || (NEGATED[match.operator] && match.operator !== 'Is Not Empty')
      return value => {
        const found = fieldOf(value, name)
        return found === undefined ? missing : test(found)
      }
    }
    case 'string':
    case 'number':
    case 'bool':
    case 'strings':
      throw notValid(match)
  }
}

const declared = (fields: Fields, name: string, match: Match): FieldType => {
  const type = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (!type) throw notValid(match)
  return type
}

const leaf = (type: FieldType, match: Match, patterns: PatternAllowance): Test => {
  const test = positive(type, match, patterns)
  return NEGATED[match.operator] ? value => !test(value) : test
}

const wrongOperator = (match: Match): FilterError =>
  new FilterError(
    `Invalid match operator "${match.operator}" for selector "${shown(match)}"`,
    match.field.position
  )

/** The test without its negation. */
const positive = (type: FieldType, match: Match, patterns: PatternAllowance): Test => {
  const { operator, value: operand } = match
  switch (operator) {
    case 'Equal':
    case 'Not Equal':
      return equal(type, match)
    case 'In':
    case 'Not In':
      if (type.type === 'string') return value => textOf(value).includes(operand)
      if (type.type === 'strings') return value => listOf(value).includes(operand)
      if (type.type === 'map') return value => fieldOf(value, operand) !== undefined
      throw wrongOperator(match)
    case 'Is Empty':
    case 'Is Not Empty':
      if (type.type === 'strings' || type.type === 'objects') return value => listOf(value).length === 0
      if (type.type === 'map') return value => !isObject(value) || Object.keys(value).length === 0
      throw wrongOperator(match)
    case 'Matches':
    case 'Not Matches': {
      if (type.type !== 'string') throw wrongOperator(match)
      const pattern = patternOf(match, patterns)
      return value => pattern.isIn(textOf(value))
    }
  }
}

const equal = (type: FieldType, match: Match): Test => {
  const { value: operand } = match
  const wrongValue = (what: string): FilterError =>
    new FilterError(
      `Selector "${shown(match)}" is ${what}, to which "${operand}" cannot be compared`,
      match.field.position
    )
  switch (type.type) {
    case 'string':
      return value => textOf(value) === operand
    case 'number': {
      const integer = parseInteger(operand)
      if (integer === undefined) throw wrongValue('a whole number')
      return value => (typeof value === 'number' ? value : 0) === integer
    }
    case 'bool': {
      if (!TRUE_TEXTS.has(operand) && !FALSE_TEXTS.has(operand)) throw wrongValue('true or false')
      return value => (value === true) === TRUE_TEXTS.has(operand)
    }
    case 'strings':
    case 'map':
    case 'objects':
    case 'object':
      throw wrongOperator(match)
  }
}

/** Parses a signed 64-bit integer; undefined for other texts. */
const parseInteger = (text: string): number | undefined => {
  const unsigned = text.replace(/^[+-]/, '')
  if (!INTEGER.test(unsigned)) return undefined
  const digits = unsigned.replaceAll('_', '')
  // No base writes 64 bits with more, and BigInt takes longer than linear time for long texts.
  if (digits.length > MAX_DIGITS) return undefined
  const value = BigInt(digits.replace(/^0(?=[0-7])/, '0o'))
  const isNegative = text.startsWith('-')
  if (value > (isNegative ? MAX_INT64 + 1n : MAX_INT64)) return undefined
  return isNegative ? 0 - Number(value) : Number(value)
}

const patternOf = ({ value, field }: Match, patterns: PatternAllowance): Pattern =>
  recover(
    () => patterns.compile(value),
    PatternError,
    ({ message }) => {
      throw new FilterError(`Failed to compile regular expression "${value}": ${message}`, field.position)
    }
  )
