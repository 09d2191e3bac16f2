// Compiled schemas, and the parts of schemas that bodies are walked by.
import type { TSchema } from 'typebox'
import { IsSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// A Map cannot tie a key's type to its value's; each entry is made from its own key below.
const validators = new WeakMap<TSchema, Validator>()

/** The validator of a schema, compiled once. */
export const validatorOf = (schema: TSchema): Validator => {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema)))
  return validator
}

/** A part of a schema by its keyword; undefined when it has none. */
export const subschema = (schema: unknown, keyword: string): unknown =>
  isFields(schema) ? schema[keyword] : undefined

/** Whether a value meets a part of a schema; what is no schema allows everything. */
export const meets = (schema: unknown, value: unknown): boolean =>
  !IsSchema(schema) || validatorOf(schema).Check(value)

/** Of the forms that a value may have, the one that it tries to have; the schema itself where there are not several. */
export const closestAlternative = (schema: unknown, value: unknown): unknown => {
  const options = subschema(schema, 'anyOf')
  if (!Array.isArray(options)) return schema
  const type = Array.isArray(value) ? 'array' : typeof value
  return options.find(option => subschema(option, 'type') === type) ?? schema
}

/** The schema of all values of a map; undefined for what is no map. */
export const allFieldsOf = (schema: unknown): unknown => {
  const patterns = subschema(schema, 'patternProperties')
  return isFields(patterns) ? Object.values(patterns)[0] : undefined
}
