// Schemas as an OpenAPI document shows them. One that has a name (`$id`) stands under it once, and wherever it is used
// there is a reference.
import { SCHEMA_BY_TYPE } from '../schemas/strict.js'

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The keywords whose value is a schema, a list of schemas, or schemas by name. */
const SINGLE: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not'])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])
const BY_NAME: ReadonlySet<string> = new Set(['properties'])

/** Integers that our JSON reads as bigint are integers to everybody else. */
const isBigint = (schema: unknown): boolean => isSchema(schema) && schema['type'] === 'bigint'

/** The one schema of all values of a map. */
const everyValue = (patterns: unknown): unknown =>
  isSchema(patterns) ? Object.values(patterns)[0] : undefined

const withForms = ({ [SCHEMA_BY_TYPE]: forms, ...schema }: Schema): Schema => {
  if (!Array.isArray(forms)) return schema
  const { description } = schema
  const [only, ...others] = forms
  if (others.length === 0 && isSchema(only)) return only
  return { ...(description === undefined ? {} : { description }), anyOf: forms }
}

/** The named schemas of a document, as they are come by. */
export class Components {
  readonly schemas: Record<string, Schema> = {}

  /** @throws Error when two schemas have the same name */
  show(schema: unknown): unknown {
    if (!isSchema(schema)) return schema
    const { $id, ...rest } = withForms(schema)
    if (typeof $id !== 'string') return this.#shown(rest)
    const shown = this.#shown(rest)
    const known = (this.schemas[$id] ??= shown)
    if (known !== shown && JSON.stringify(known) !== JSON.stringify(shown))
      throw new Error(`two schemas are called ${$id}`)
    return { $ref: `#/components/schemas/${$id}` }
  }

  #shown({ anyOf, patternProperties, ...rest }: Schema): Schema {
    const options = Array.isArray(anyOf) ? anyOf.filter(option => !isBigint(option)) : []
    const [only, ...others] = options
    // What was a choice only for how JSON is read is none in the document.
    const isNoChoice = isSchema(only) && others.length === 0 && Array.isArray(anyOf) && anyOf.length > 1
    return {
      ...this.#parts(isNoChoice ? { ...only, ...rest } : rest),
      ...(isNoChoice || options.length === 0 ? {} : { anyOf: options.map(option => this.show(option)) }),
      ...(patternProperties === undefined
        ? {}
        : { additionalProperties: this.show(everyValue(patternProperties)) })
    }
  }

  #parts(schema: Schema): Schema {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, this.#part(keyword, value)])
    )
  }

  #part(keyword: string, value: unknown): unknown {
    if (SINGLE.has(keyword)) return this.show(value)
    if (LISTS.has(keyword) && Array.isArray(value)) return value.map(one => this.show(one))
    if (!BY_NAME.has(keyword) || !isSchema(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.show(one)]))
  }
}
