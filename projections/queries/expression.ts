// Evaluates expressions in texts of templates (spec: queries.md §5.2). Both sides of every operator and both branches of
// a condition are evaluated, so that whether a text is valid does not hang on the name that is asked for.

export type Value =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'int'; readonly value: number }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }

export type Expression =
  | { readonly type: 'text'; readonly parts: readonly Expression[] }
  | { readonly type: 'literal'; readonly value: Value }
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'call'; readonly name: string; readonly operands: readonly Expression[] }
  | { readonly type: 'unary'; readonly operator: '!' | '-'; readonly operand: Expression }
  | {
      readonly type: 'condition'
      readonly condition: Expression
      readonly yes: Expression
      readonly no: Expression
    }
  | {
      readonly type: 'chain'
      readonly first: Expression
      readonly rest: readonly { readonly operator: Operator; readonly operand: Expression }[]
    }

type Operator = '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%'

/** What an expression may name. */
export interface Scope {
  readonly variables: ReadonlyMap<string, string>
  /** Group N of the regular expression in the name asked for; '' when there is none. */
  match(group: number): string
}

/** An expression that has no value: an unknown name, a text where a number is needed. The text says which. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError'
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])
const INTEGER = /^[+-]?[0-9]+$/
const FLOAT = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/

const text = (value: string): Value => ({ type: 'string', value })
const bool = (value: boolean): Value => ({ type: 'bool', value })
const number = (type: 'int' | 'float', value: number): Value => {
  if (type === 'int' ? !Number.isSafeInteger(value) : !Number.isFinite(value))
    throw new EvaluationError('a number is out of range')
  return { type, value }
}

/** The value as text: the only form in which expressions leave. */
const textOf = (of: Value): string => {
  switch (of.type) {
    case 'string':
      return of.value
    case 'float':
      return formatFloat(of.value)
    case 'int':
    case 'bool':
      return String(of.value)
  }
}

/** The shortest decimal that reads back as the number, as Go writes it in a text. */
const formatFloat = (value: number): string => {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  const digits = String(Math.abs(power)).padStart(2, '0')
  return `${mantissa}e${power < 0 ? '-' : '+'}${digits}`
}

const boolOf = (of: Value): boolean => {
  if (of.type === 'bool') return of.value
  if (of.type === 'string' && TRUE.has(of.value)) return true
  if (of.type === 'string' && FALSE.has(of.value)) return false
  throw new EvaluationError(`${JSON.stringify(of.value)} is neither true nor false`)
}

const numberOf = (of: Value, type: 'int' | 'float'): number => {
  if (of.type === 'int') return of.value
  if (of.type === 'float') return type === 'int' ? Math.trunc(of.value) : of.value
  if (of.type === 'string' && (type === 'int' ? INTEGER : FLOAT).test(of.value)) return Number(of.value)
  throw new EvaluationError(
    `${JSON.stringify(of.value)} is not ${type === 'int' ? 'an integer' : 'a number'}`
  )
}

/** A value in the type of another; what cannot be converted is an error. */
const convert = (of: Value, type: Value['type']): Value => {
  if (of.type === type) return of
  switch (type) {
    case 'string':
      return text(textOf(of))
    case 'bool':
      return bool(boolOf(of))
    case 'int':
    case 'float':
      return number(type, numberOf(of, type))
  }
}

const calculate = (operator: '+' | '-' | '*' | '/' | '%', left: Value, right: Value): Value => {
  const type = left.type === 'float' || right.type === 'float' ? 'float' : 'int'
  const [a, b] = [numberOf(left, type), numberOf(right, type)]
  switch (operator) {
    case '+':
      return number(type, a + b)
    case '-':
      return number(type, a - b)
    case '*':
      return number(type, a * b)
    case '/':
    case '%':
      if (b === 0) throw new EvaluationError('divide by zero')
      if (operator === '%') return number(type, a % b)
      return number(type, type === 'int' ? Math.trunc(a / b) : a / b)
  }
}

/** The left side says in which type the two are compared. */
const compare = (operator: '==' | '!=' | '<' | '<=' | '>' | '>=', left: Value, other: Value): boolean => {
  const a = left.value
  const b = convert(other, left.type).value
  if (operator === '==') return a === b
  if (operator === '!=') return a !== b
  if (typeof a !== 'number' || typeof b !== 'number')
    throw new EvaluationError(`${operator} compares numbers only, not ${JSON.stringify(a)}`)
  switch (operator) {
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
  }
}

const apply = (operator: Operator, left: Value, right: Value): Value => {
  switch (operator) {
    case '||':
    case '&&': {
      const [a, b] = [boolOf(left), boolOf(right)]
      return bool(operator === '&&' ? a && b : a || b)
    }
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return bool(compare(operator, left, right))
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return calculate(operator, left, right)
  }
}

const call = (name: string, operands: readonly Value[], scope: Scope): Value => {
  if (name !== 'match') throw new EvaluationError(`unknown function called: ${name}`)
  const [group] = operands
  if (operands.length !== 1 || !group)
    throw new EvaluationError(`match: expected 1 arguments, got ${operands.length}`)
  return text(scope.match(numberOf(group, 'int')))
}

/** Of two branches of different types a text gives way to the other. */
const choose = (condition: Value, yes: Value, no: Value): Value => {
  const type = yes.type === 'string' ? no.type : yes.type
  const branches = [convert(yes, type), convert(no, type)] as const
  return boolOf(condition) ? branches[0] : branches[1]
}

/** @throws EvaluationError */
const evaluate = (expression: Expression, scope: Scope): Value => {
  switch (expression.type) {
    case 'literal':
      return expression.value
    case 'text':
      return text(expression.parts.map(part => textOf(evaluate(part, scope))).join(''))
    case 'variable': {
      const value = scope.variables.get(expression.name)
      if (value === undefined) throw new EvaluationError(`unknown variable accessed: ${expression.name}`)
      return text(value)
    }
    case 'call':
      return call(
        expression.name,
        expression.operands.map(operand => evaluate(operand, scope)),
        scope
      )
    case 'unary': {
      const operand = evaluate(expression.operand, scope)
      return expression.operator === '!'
        ? bool(!boolOf(operand))
        : calculate('-', { type: 'int', value: 0 }, operand)
    }
    case 'condition': {
      const { condition, yes, no } = expression
      return choose(evaluate(condition, scope), evaluate(yes, scope), evaluate(no, scope))
    }
    case 'chain': {
      let value = evaluate(expression.first, scope)
      for (const { operator, operand } of expression.rest)
        value = apply(operator, value, evaluate(operand, scope))
      return value
    }
  }
}

/** The text that an expression stands for. @throws EvaluationError */
export const evaluateText = (expression: Expression, scope: Scope): string =>
  textOf(evaluate(expression, scope))
