// Bind name templates: `${...}` over the values of a verified identity (spec: auth.md §7).
import { parse, SyntaxError } from './template-grammar.js'
import { TemplateError, type TemplateNode, type TemplateValue } from './template-syntax.js'
import { binary, convert, toBoolean, toText } from './template-values.js'

export { TemplateError } from './template-syntax.js'

/** Longest template, in bytes of UTF-8. */
export const MAX_TEMPLATE_BYTES = 8 * 1024

/** Deepest nesting of parentheses, interpolations, conditions and signs. */
export const MAX_TEMPLATE_DEPTH = 32

/** Values by variable name. A variable that is not there is unknown. */
export type Variables = ReadonlyMap<string, string>

/** A template that was read. */
export interface Template {
  /** @throws TemplateError for an unknown variable, or a value that an operator cannot take */
  render(variables: Variables): string
}

/**
 * Reads a template in time proportional to its length.
 * @throws TemplateError
 */
export const parseTemplate = (text: string): Template => {
  if (!text.includes('${')) return { render: () => text }
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_TEMPLATE_BYTES)
    throw new TemplateError(`the template has ${bytes} bytes, more than ${MAX_TEMPLATE_BYTES}`)
  try {
    const node = parse(text, { maxDepth: MAX_TEMPLATE_DEPTH })
    return { render: variables => toText(evaluate(node, variables)) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { line, column } = error.location.start
    throw new TemplateError(`parse error at ${line}:${column}: ${error.message}`)
  }
}

/** Everything is evaluated, also what does not count in the end, so that a fault shows whatever the values are. */
const evaluate = (node: TemplateNode, variables: Variables): TemplateValue => {
  switch (node.type) {
    case 'template':
      return node.parts.map(part => toText(evaluate(part, variables))).join('')
    case 'literal':
      return node.value
    case 'variable': {
      const value = variables.get(node.name)
      if (value === undefined)
        throw new TemplateError(`1:${node.position + 1}: unknown variable accessed: ${node.name}`)
      return value
    }
    case 'unary': {
      const operand = evaluate(node.operand, variables)
      return node.operator === '!' ? !toBoolean(operand) : binary('-', 0n, operand)
    }
    case 'binary':
      return binary(node.operator, evaluate(node.left, variables), evaluate(node.right, variables))
    case 'conditional':
      return choose(node.condition, node.yes, node.no, variables)
  }
}

/** Both branches become one type: that of the first, unless it is a text and the other is not. */
const choose = (
  condition: TemplateNode,
  yes: TemplateNode,
  no: TemplateNode,
  variables: Variables
): TemplateValue => {
  const holds = toBoolean(evaluate(condition, variables))
  const [first, second] = [evaluate(yes, variables), evaluate(no, variables)]
  const like = typeof first === 'string' ? second : first
  const chosen = [convert(first, like), convert(second, like)] as const
  return holds ? chosen[0] : chosen[1]
}
