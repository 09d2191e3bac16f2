// JSON bodies: from bytes to a checked value. Exact spelling is the fast path; other letter cases and null fields are
// put right only when the plain check fails (spec: decisions.md 3, acl.md §1.4).
import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { invalid } from '../actors/refusal.js'
import type { BodySpec } from './route.js'

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// A Map cannot tie a key's type to its value's; each entry is made from its own key below.
const validators = new WeakMap<TSchema, Validator>()
const validatorOf = (schema: TSchema): Validator => {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema)))
  return validator
}

const subschema = (schema: unknown, key: string): unknown => (isFields(schema) ? schema[key] : undefined)

/** The spelling that the schema has for a field, without regard to letter case; itself when there is none. */
const spelling = (properties: Fields, field: string): string => {
  if (field in properties) return field
  const folded = field.toLowerCase()
  return Object.keys(properties).find(name => name.toLowerCase() === folded) ?? field
}

interface Leniency {
  readonly foldCase: boolean
  readonly dropUnknown: boolean
}

/** A value with null fields left out and, if asked for, fields spelled as the schema has them, at every depth. */
const normalise = (schema: unknown, value: unknown, leniency: Leniency): unknown => {
  if (Array.isArray(value)) return value.map(item => normalise(subschema(schema, 'items'), item, leniency))
  const properties = subschema(schema, 'properties')
  if (!isFields(value) || !isFields(properties)) return value
  const fields: Record<string, unknown> = {}
  for (const [field, given] of Object.entries(value)) {
    if (given === null && !acceptsNull(properties[field])) continue
    const name = leniency.foldCase ? spelling(properties, field) : field
    if (leniency.dropUnknown && !Object.hasOwn(properties, name)) continue
    fields[name] = normalise(properties[name], given, leniency)
  }
  return fields
}

const acceptsNull = (schema: unknown): boolean => {
  const anyOf = subschema(schema, 'anyOf')
  return Array.isArray(anyOf) && anyOf.some(option => subschema(option, 'type') === 'null')
}

const fieldName = (pointer: string): string =>
  pointer
    .slice(1)
    .split('/')
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

/** What is wrong with a value, in words that name the field and the rule. */
const fault = (validator: Validator, value: unknown): string => {
  const errors = validator.Errors(value)
  const unknown = errors.find(error => error.keyword === 'boolean')
  if (unknown) return `unknown field "${fieldName(unknown.instancePath)}"`
  const [first] = errors.filter(error => error.keyword !== 'anyOf')
  if (!first) return 'it has not the form that is asked for'
  return first.instancePath === ''
    ? first.message
    : `field "${fieldName(first.instancePath)}" ${first.message}`
}

const isMatch = <Schema extends TSchema>(
  validator: Validator,
  _schema: Schema,
  value: unknown
): value is Static<Schema> => validator.Check(value)

/** The text of the first JSON value where more text follows, which is ignored (state.md §1); undefined for all others. */
const firstValueOf = (text: string): string | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const end = error instanceof Error ? /after JSON at position (\d+)/.exec(error.message)?.[1] : undefined
    return end === undefined ? undefined : text.slice(0, Number(end))
  }
}

/**
 * The value of a JSON body.
 * @throws Refusal `invalid`, naming the field and the rule
 */
export const decodeBody = <Schema extends TSchema>(
  spec: BodySpec<Schema>,
  bytes: Buffer | undefined,
  foldCase: boolean
): Static<Schema> => {
  const {
    schema,
    name,
    optional,
    parse = JSON.parse,
    failure = `Bad request: ${name} decoding failed`
  } = spec
  const failed = (reason: string): Error => invalid(`${failure}: ${reason}`)
  const validator = validatorOf(schema)
  let value: unknown
  if (!bytes || bytes.length === 0) {
    if (!optional) throw failed('EOF: the body is empty')
    value = {}
  } else {
    const text = bytes.toString()
    try {
      value = parse(text)
    } catch (error) {
      const first = firstValueOf(text)
      if (first === undefined) throw failed(error instanceof Error ? error.message : String(error))
      value = parse(first)
    }
  }
  if (isMatch(validator, schema, value)) return value
  const put = normalise(schema, value ?? {}, { foldCase, dropUnknown: spec.ignoresUnknown ?? false })
  if (isMatch(validator, schema, put)) return put
  throw failed(fault(validator, put))
}
