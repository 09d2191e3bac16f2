import { type TSchema, IsSchema } from 'typebox'
import { isObject } from '../../../events/values.js'
import { Compile, type Validator } from 'typebox/compile'

export type Fields = Readonly<Record<string, unknown>>

// A Map cannot tie a key's type to its value's, but each entry is compiled from its own key below.
const validators = new WeakMap<TSchema, Validator>()

export const validatorOf = (schema: TSchema): Validator => {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema)))
  return validator
}

export const subschema = (schema: unknown, keyword: string): unknown =>
  isObject(schema) ? schema[keyword] : undefined

/** Validates a value. Anything that is not a schema accepts every value. */
const meets = (schema: unknown, value: unknown): boolean =>
  !IsSchema(schema) || validatorOf(schema).Check(value)

export const closestAlternative = (schema: unknown, value: unknown): unknown => {
  const options = subschema(schema, 'anyOf')
  if (!Array.isArray(options)) return schema
  const type = Array.isArray(value) ? 'array' : typeof value
  return options.find(option => subschema(option, 'type') === type) ?? schema
}

export const allFieldsOf = (schema: unknown): unknown => {
  const patterns = subschema(schema, 'patternProperties')
  return isObject(patterns) ? Object.values(patterns)[0] : undefined
}

const named = (path: readonly string[]): string => path.join('.')

const fieldSchemas = (schema: unknown): ((field: string) => unknown) | undefined => {
  const properties = subschema(schema, 'properties')
  if (isObject(properties)) return field => (Object.hasOwn(properties, field) ? properties[field] : undefined)
  const every = allFieldsOf(schema)
  return every === undefined ? undefined : () => every
}

const faultInFields = (schema: unknown, value: Fields, path: readonly string[]): string | undefined => {
  const schemaOf = fieldSchemas(schema)
  if (!schemaOf) return undefined
  for (const [field, item] of Object.entries(value)) {
    const expected = schemaOf(field)
    const at = [...path, field]
    if (expected !== undefined && !meets(expected, item)) return faultOf(expected, item, at)
    if (expected === undefined && subschema(schema, 'additionalProperties') === false)
      return `unknown field "${named(at)}"`
  }
  return undefined
}

const faultInItems = (
  schema: unknown,
  value: readonly unknown[],
  path: readonly string[]
): string | undefined => {
  const items = subschema(schema, 'items')
  const at = value.findIndex(item => !meets(items, item))
  return at < 0 ? undefined : faultOf(items, value[at], [...path, String(at)])
}

/** Returns the rules that a value breaks; for `anyOf`, the rules of all alternatives. */
const brokenRule = (schema: unknown, value: unknown): string => {
  const errors = IsSchema(schema) ? validatorOf(schema).Errors(value) : []
  const rules = errors.filter(error => error.keyword !== 'anyOf').map(({ message }) => message)
  const [first = 'has not the form that is asked for', ...others] = new Set(rules)
  if (subschema(schema, 'anyOf') === undefined) return first
  return [first, ...others.map(rule => rule.replace(/^must be /, ''))].join(' or ')
}

const ownFault = (schema: unknown, value: unknown, path: readonly string[]): string => {
  const rule = brokenRule(schema, value)
  return path.length === 0 ? rule : `field "${named(path)}" ${rule}`
}

/**
 * Returns the first fault of a value that does not match its schema. Follows compiled validators of its parts, so the cost is the size
 * of the value times its depth.
 * @param path of the value in the body
 */
export const faultOf = (schema: unknown, value: unknown, path: readonly string[] = []): string => {
  const form = closestAlternative(schema, value)
  const inside = Array.isArray(value)
    ? faultInItems(form, value, path)
    : isObject(value)
      ? faultInFields(form, value, path)
      : undefined
  return inside ?? ownFault(schema, value, path)
}
