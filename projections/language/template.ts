// Templates: `${...}` in bind names with the variables of a verified identity, and in prepared queries with the requested
// name (spec: auth.md §7, queries.md §5.2).
import { recover } from '../../events/errors.js'
import { parse, SyntaxError } from './template-grammar.js'
import {
  TemplateError,
  binary,
  convert,
  toBoolean,
  toText,
  type TemplateNode,
  type TemplateValue
} from './template-values.js'

export { TemplateError } from './template-values.js'

/** In bytes of UTF-8. */
const MAX_TEMPLATE_BYTES = 8 * 1024

/** Nesting of parentheses, interpolations, conditions and signs. */
const MAX_TEMPLATE_DEPTH = 32

export type Variables = ReadonlyMap<string, string>

/** Checks its own arguments. @throws TemplateError */
type TemplateFunction = (operands: readonly TemplateValue[]) => TemplateValue
export type Functions = ReadonlyMap<string, TemplateFunction>

const NO_FUNCTIONS: Functions = new Map()

export interface Template {
  /** @throws TemplateError for an unknown variable, or a value of a wrong type */
  render(variables: Variables, functions?: Functions): string
  /** Returns false only if no values of the variables render this name, whatever its letter case. Linear in both. */
  mayRender(name: string): boolean
}

/** Parses in time proportional to the length. @throws TemplateError */
export const parseTemplate = (text: string): Template =>
  text.includes('${')
    ? parseText(text, NO_FUNCTIONS)
    : { render: () => text, mayRender: name => name.toLowerCase() === text.toLowerCase() }

/** Like `parseTemplate`, but the text may call functions of these names, passed at each rendering, and `$$` is always `$`. @throws TemplateError */
export const parseText = (text: string, functions: ReadonlyMap<string, unknown>): Template => {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_TEMPLATE_BYTES)
    throw new TemplateError(`the template has ${bytes} bytes, more than ${MAX_TEMPLATE_BYTES}`)
  const options = { maxDepth: MAX_TEMPLATE_DEPTH, functions }
  const node = recover(
    () => parse(text, options),
    SyntaxError,
    ({ location, message }) => {
      const { line, column } = location.start
      throw new TemplateError(`parse error at ${line}:${column}: ${message}`)
    }
  )
  return {
    render: (variables, known = NO_FUNCTIONS) => toText(evaluate(node, { variables, functions: known })),
    mayRender: name => hasTexts(name.toLowerCase(), literalTexts(node))
  }
}

/** Returns the fixed texts of a template in lower case; any text may be between two of them. */
const literalTexts = (node: TemplateNode): readonly string[] => {
  const texts = ['']
  for (const part of node.type === 'template' ? node.parts : [node])
    if (part.type === 'literal') texts.push(`${texts.pop() ?? ''}${toText(part.value).toLowerCase()}`)
    else texts.push('')
  return texts
}

/** Returns true if the texts follow each other in the name, the first at its start and the last at its end. */
const hasTexts = (name: string, texts: readonly string[]): boolean => {
  const [first = '', ...others] = texts
  const last = others.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const text of others) {
    const found = name.indexOf(text, at)
    if (found < 0) return false
    at = found + text.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}

interface Scope {
  readonly variables: Variables
  readonly functions: Functions
}

/** Evaluates every branch, so that an error shows with any values. */
const evaluate = (node: TemplateNode, scope: Scope): TemplateValue => {
  switch (node.type) {
    case 'template':
      return node.parts.map(part => toText(evaluate(part, scope))).join('')
    case 'literal':
      return node.value
    case 'variable': {
      const value = scope.variables.get(node.name)
      if (value === undefined)
        throw new TemplateError(`1:${node.position + 1}: unknown variable accessed: ${node.name}`)
      return value
    }
    case 'call': {
      const call = scope.functions.get(node.name)
      if (!call) throw new TemplateError(`unknown function called: ${node.name}`)
      return call(node.operands.map(operand => evaluate(operand, scope)))
    }
    case 'unary': {
      const operand = evaluate(node.operand, scope)
      return node.operator === '!' ? !toBoolean(operand) : binary('-', 0n, operand)
    }
    case 'binary':
      return binary(node.operator, evaluate(node.left, scope), evaluate(node.right, scope))
    case 'conditional': {
      const holds = toBoolean(evaluate(node.condition, scope))
      return choose(holds, evaluate(node.yes, scope), evaluate(node.no, scope))
    }
  }
}

/** Both branches are converted to one type: that of the first, unless only the second is not a text. */
const choose = (holds: boolean, first: TemplateValue, second: TemplateValue): TemplateValue => {
  const like = typeof first === 'string' ? second : first
  const chosen = [convert(first, like), convert(second, like)] as const
  return holds ? chosen[0] : chosen[1]
}
