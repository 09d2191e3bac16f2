// Decoding of JSON bodies. Other letter cases and null fields are normalized only when the plain validation fails
// (spec: decisions.md 3, acl.md §1.4).
import { type TSchema, IsSchema, type Static } from 'typebox'
import { isObject } from '../../../events/values.js'
import { Compile, type Validator } from 'typebox/compile'
import { invalid } from '../../../actors/refusal.js'
import { fieldOf, spellingsOf } from '../../../events/config/fields/decoder.js'
import { isUnsignedNumber } from '../../../events/definition/forms/numbers.js'
import { MAX_UINT64, parseBounded } from './json-parsing.js'
import { messageOf } from '../../../events/errors.js'

type Fields = Readonly<Record<string, unknown>>

// A Map cannot tie a key's type to its value's, but each entry is compiled from its own key below.
const validators = new WeakMap<TSchema, Validator>()

export const validatorOf = (schema: TSchema): Validator => {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema)))
  return validator
}

const subschema = (schema: unknown, keyword: string): unknown =>
  isObject(schema) ? schema[keyword] : undefined

/** Validates a value. Anything that is not a schema accepts every value. */
const meets = (schema: unknown, value: unknown): boolean =>
  !IsSchema(schema) || validatorOf(schema).Check(value)

const closestAlternative = (schema: unknown, value: unknown): unknown => {
  const options = subschema(schema, 'anyOf')
  if (!Array.isArray(options)) return schema
  const type = Array.isArray(value) ? 'array' : typeof value
  return options.find(option => subschema(option, 'type') === type) ?? schema
}

const allFieldsOf = (schema: unknown): unknown => {
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
  if (isUnsignedNumber(schema)) return `must be an integer from 0 to ${MAX_UINT64}`
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

export interface BodySpec<Schema extends TSchema> {
  readonly schema: Schema
  /** The name in errors: `Bad request: Token decoding failed`. */
  readonly name: string
  /** An absent body is treated as an empty object. */
  readonly optional?: boolean
  /** The error for `null`, where it is not treated as an empty object. */
  readonly nullFault?: string
  /** Unknown fields are dropped instead of rejected. */
  readonly ignoresUnknown?: boolean
  /** Field names may be in snake case: `service_id` for `ServiceID`. */
  readonly takesSnakeCase?: boolean
  readonly failure?: string
  /** Replaces JSON.parse. @throws Error that describes the fault */
  readonly parse?: (text: string) => unknown
}

type FieldNames = ReadonlyMap<string, string>

const cachedNames = (derive: (fields: readonly string[]) => FieldNames) => {
  const cache = new WeakMap<Fields, FieldNames>()
  return (properties: Fields): FieldNames => {
    let names = cache.get(properties)
    if (!names) cache.set(properties, (names = derive(Object.keys(properties))))
    return names
  }
}

const foldedOf = cachedNames(fields => new Map(fields.map(name => [name.toLowerCase(), name])))
const spellingsIn = cachedNames(spellingsOf)

const spelling = (properties: Fields, field: string, { foldCase, snakeCase }: Leniency): string => {
  if (Object.hasOwn(properties, field)) return field
  if (snakeCase) return fieldOf(field, spellingsIn(properties), foldCase ? 'any' : 'exact') ?? field
  return foldCase ? (foldedOf(properties).get(field.toLowerCase()) ?? field) : field
}

interface Leniency {
  readonly foldCase: boolean
  readonly snakeCase: boolean
  readonly dropUnknown: boolean
}

/** Returns the value without null fields and with fields spelled as in the schema, at every depth. */
const normalise = (given: unknown, value: unknown, leniency: Leniency): unknown => {
  const schema = closestAlternative(given, value)
  if (Array.isArray(value)) return value.map(item => normalise(subschema(schema, 'items'), item, leniency))
  if (!isObject(value)) return value
  const properties = subschema(schema, 'properties')
  if (isObject(properties)) return Object.fromEntries(normalFields(properties, value, leniency))
  const every = allFieldsOf(schema)
  if (every === undefined) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, normalise(every, item, leniency)])
  )
}

const normalFields = (properties: Fields, value: Fields, leniency: Leniency): [string, unknown][] => {
  const fields: [string, unknown][] = []
  for (const [field, item] of Object.entries(value)) {
    const name = spelling(properties, field, leniency)
    const isKnown = Object.hasOwn(properties, name)
    const schema = isKnown ? properties[name] : undefined
    if ((item === null && !acceptsNull(schema)) || (leniency.dropUnknown && !isKnown)) continue
    fields.push([name, normalise(schema, item, leniency)])
  }
  return fields
}

const acceptsNull = (schema: unknown): boolean => {
  const anyOf = subschema(schema, 'anyOf')
  return Array.isArray(anyOf) && anyOf.some(option => subschema(option, 'type') === 'null')
}

const isMatch = <Schema extends TSchema>(
  validator: Validator,
  _schema: Schema,
  value: unknown
): value is Static<Schema> => validator.Check(value)

/** Returns the first JSON value of a text with trailing data, which is ignored (state.md §1); otherwise undefined. */
const firstValueOf = (text: string): string | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const end = error instanceof Error ? /after JSON at position (\d+)/.exec(error.message)?.[1] : undefined
    return end === undefined ? undefined : text.slice(0, Number(end))
  }
}

/** Parses the first JSON value of a text. @throws SyntaxError */
const parseFirst = (text: string, parse: (text: string) => unknown): unknown => {
  try {
    return parseBounded(text, parse)
  } catch (error) {
    const first = firstValueOf(text)
    if (first === undefined) throw error
    return parseBounded(first, parse)
  }
}

/** Decodes a JSON body. @throws Refusal `invalid`, naming the field and the rule */
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
  const failed = (reason: string): Error => invalid('body.invalid', `${failure}: ${reason}`)
  const validator = validatorOf(schema)
  let value: unknown
  if (!bytes || bytes.length === 0) {
    if (!optional) throw failed('EOF: the body is empty')
    value = {}
  } else {
    try {
      value = parseFirst(bytes.toString(), parse)
    } catch (error) {
      throw failed(messageOf(error))
    }
  }
  if (value === null && spec.nullFault !== undefined) throw invalid('body.invalid', spec.nullFault)
  if (isMatch(validator, schema, value)) return value
  const put = normalise(schema, value ?? {}, {
    foldCase,
    snakeCase: spec.takesSnakeCase ?? false,
    dropUnknown: spec.ignoresUnknown ?? false
  })
  if (isMatch(validator, schema, put)) return put
  throw failed(faultOf(schema, put))
}
