import { FALSE_TEXTS, TRUE_TEXTS } from '../../events/values.js'

/** Text, 64-bit integer, decimal, boolean (spec: auth.md §7). */
export type TemplateValue = string | bigint | number | boolean

type Comparison = '<' | '<=' | '>' | '>='
type Arithmetic = '+' | '-' | '*' | '/' | '%'
type BinaryOperator = '||' | '&&' | '==' | '!=' | Comparison | Arithmetic

export type TemplateNode =
  | { readonly type: 'template'; readonly parts: readonly TemplateNode[] }
  | { readonly type: 'literal'; readonly value: TemplateValue }
  | { readonly type: 'variable'; readonly name: string; readonly position: number }
  | { readonly type: 'call'; readonly name: string; readonly operands: readonly TemplateNode[] }
  | { readonly type: 'unary'; readonly operator: '!' | '-'; readonly operand: TemplateNode }
  | {
      readonly type: 'binary'
      readonly operator: BinaryOperator
      readonly left: TemplateNode
      readonly right: TemplateNode
    }
  | {
      readonly type: 'conditional'
      readonly condition: TemplateNode
      readonly yes: TemplateNode
      readonly no: TemplateNode
    }

/** An invalid template, or one that cannot be rendered with these values. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** A leading zero marks octal digits. */
const INTEGER = /^[+-]?(0|[1-9][0-9]{0,17}|0[0-7]{1,20}|0[xX][0-9a-fA-F]{1,15})$/
const DECIMAL = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value)

/** The shortest form, with an exponent from a million and below a ten-thousandth. */
const decimalText = (value: number): string => {
  const [digits = '0', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (value === 0 || (power >= -4 && power < 6)) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

export const toText = (value: TemplateValue): string =>
  typeof value === 'number' ? decimalText(value) : String(value)

/** @throws TemplateError */
export const toBoolean = (value: TemplateValue): boolean => {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && TRUE_TEXTS.has(value)) return true
  if (typeof value === 'string' && FALSE_TEXTS.has(value)) return false
  throw new TemplateError(`"${toText(value)}" is neither true nor false`)
}

/** @throws TemplateError */
export const toInteger = (value: TemplateValue): bigint => {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return wrap(BigInt(Math.trunc(value)))
  if (typeof value === 'string' && INTEGER.test(value)) {
    const negative = value.startsWith('-')
    const size = BigInt(value.replace(/^[+-]/, '').replace(/^0(?=[0-7])/, '0o'))
    return negative ? -size : size
  }
  throw new TemplateError(`"${toText(value)}" is not an integer`)
}

/** @throws TemplateError */
const toDecimal = (value: TemplateValue): number => {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string' && DECIMAL.test(value)) return Number(value)
  throw new TemplateError(`"${toText(value)}" is not a number`)
}

/** Converts a value to the type of another one. @throws TemplateError */
export const convert = (value: TemplateValue, like: TemplateValue): TemplateValue => {
  if (typeof like === 'string') return toText(value)
  if (typeof like === 'boolean') return toBoolean(value)
  return typeof like === 'bigint' ? toInteger(value) : toDecimal(value)
}

const notZero = <T extends bigint | number>(divisor: T): T => {
  if (Number(divisor) === 0) throw new TemplateError('divide by zero')
  return divisor
}

const COMPARE: Readonly<Record<Comparison, (a: bigint | number, b: bigint | number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b
}

const INTEGERS: Readonly<Record<Arithmetic, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / notZero(b),
  '%': (a, b) => a % notZero(b)
}
const DECIMALS: Readonly<Record<Arithmetic, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / notZero(b),
  '%': () => {
    throw new TemplateError('the remainder is for integers only')
  }
}

/** Evaluates `a operator b` without short-circuit. @throws TemplateError */
export const binary = (operator: BinaryOperator, a: TemplateValue, b: TemplateValue): TemplateValue => {
  switch (operator) {
    case '||':
    case '&&': {
      const [left, right] = [toBoolean(a), toBoolean(b)]
      return operator === '||' ? left || right : left && right
    }
    case '==':
      return a === convert(b, a)
    case '!=':
      return a !== convert(b, a)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return typeof a === 'number' || typeof b === 'number'
        ? COMPARE[operator](toDecimal(a), toDecimal(b))
        : COMPARE[operator](toInteger(a), toInteger(b))
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return typeof a === 'number' || typeof b === 'number'
        ? DECIMALS[operator](toDecimal(a), toDecimal(b))
        : wrap(INTEGERS[operator](toInteger(a), toInteger(b)))
  }
}
