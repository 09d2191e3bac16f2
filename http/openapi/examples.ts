// Examples of bodies and answers, made of those that the schemas declare.
import { FORMS } from '../schemas/strict.js'

const keyword = (schema: unknown, name: string): unknown =>
  typeof schema === 'object' && schema !== null ? Reflect.get(schema, name) : undefined

/** Whether a schema says by itself what an example of it is. */
const isDeclared = (schema: unknown): boolean => keyword(schema, 'examples') !== undefined

const properties = (schema: unknown): [string, unknown][] => {
  const fields = keyword(schema, 'properties')
  const required = keyword(schema, 'required')
  const isShown = (name: string, field: unknown): boolean =>
    isDeclared(field) || (Array.isArray(required) && required.includes(name))
  return typeof fields === 'object' && fields !== null
    ? Object.entries(fields).filter(([name, field]) => isShown(name, field))
    : []
}

/** Of a type without a declared example; those of texts have to be declared, since any text would mislead. */
const ofType = (schema: unknown): unknown => {
  switch (keyword(schema, 'type')) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return 1
    case 'null':
      return null
    case 'array':
      return [exampleOf(keyword(schema, 'items'))]
    case 'object':
      return Object.fromEntries(properties(schema).map(([name, field]) => [name, exampleOf(field)]))
    default:
      throw new Error(`no example for ${JSON.stringify(schema)}`)
  }
}

/**
 * The example of a schema: its own, or one made of those of its parts.
 * @throws Error when it, or a part that must be there, has none
 */
export const exampleOf = (schema: unknown): unknown => {
  const examples = keyword(schema, 'examples')
  if (Array.isArray(examples)) return examples[0]
  const constant = keyword(schema, 'const')
  if (constant !== undefined) return constant
  const options = keyword(schema, FORMS) ?? keyword(schema, 'anyOf')
  return Array.isArray(options) ? exampleOf(options.find(isDeclared) ?? options[0]) : ofType(schema)
}
