// Compiled schemas, and access to parts of schemas.
import type { TSchema } from 'typebox'
import { IsSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// A Map cannot tie a key's type to its value's, but each entry is compiled from its own key below.
const validators = new WeakMap<TSchema, Validator>()

export const validatorOf = (schema: TSchema): Validator => {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema)))
  return validator
}

export const subschema = (schema: unknown, keyword: string): unknown =>
  isFields(schema) ? schema[keyword] : undefined

/** Validates a value. Anything that is not a schema accepts every value. */
export const meets = (schema: unknown, value: unknown): boolean =>
  !IsSchema(schema) || validatorOf(schema).Check(value)

/** Returns the alternative of an `anyOf` with the value's type; the schema itself if there is none. */
export const closestAlternative = (schema: unknown, value: unknown): unknown => {
  const options = subschema(schema, 'anyOf')
  if (!Array.isArray(options)) return schema
  const type = Array.isArray(value) ? 'array' : typeof value
  return options.find(option => subschema(option, 'type') === type) ?? schema
}

/** Returns the schema of all values of a map; undefined for other schemas. */
export const allFieldsOf = (schema: unknown): unknown => {
  const patterns = subschema(schema, 'patternProperties')
  return isFields(patterns) ? Object.values(patterns)[0] : undefined
}
