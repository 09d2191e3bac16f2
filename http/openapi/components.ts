// Schemas in an OpenAPI document. A named schema (`$id`) is a component, and each use of it a reference.
import { isObject } from '../../events/values.js'
import { SCHEMA_BY_TYPE } from '../../events/definition/forms/forms.js'

type Schema = Readonly<Record<string, unknown>>

/** The keywords whose value is a schema, or a list of schemas. */
const SINGLE: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not'])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])

/** The bigint option of an integer exists only for our JSON parser. */
const isBigint = (schema: unknown): boolean => isObject(schema) && schema['type'] === 'bigint'

const withForms = ({ [SCHEMA_BY_TYPE]: forms, ...schema }: Schema): Schema => {
  if (!Array.isArray(forms)) return schema
  const { description } = schema
  const [only, ...others] = forms
  if (others.length === 0 && isObject(only)) return only
  return { ...(description === undefined ? {} : { description }), anyOf: forms }
}

/** Collects the named schemas of a document. */
export class Components {
  readonly schemas: Record<string, Schema> = {}

  /** Returns the schema in the document's form. @throws Error if another schema has the same name */
  show(schema: unknown): unknown {
    if (!isObject(schema)) return schema
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
    // A choice that only exists for the JSON parser is omitted.
    const isNoChoice = isObject(only) && others.length === 0 && Array.isArray(anyOf) && anyOf.length > 1
    return {
      ...this.#parts(isNoChoice ? { ...only, ...rest } : rest),
      ...(isNoChoice || options.length === 0 ? {} : { anyOf: options.map(option => this.show(option)) }),
      ...(isObject(patternProperties)
        ? { additionalProperties: this.show(Object.values(patternProperties)[0]) }
        : {})
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
    if (keyword !== 'properties' || !isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.show(one)]))
  }
}
