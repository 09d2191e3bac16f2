// Objects in responses, whose fields declare their values in the example of the object.
import * as Type from 'typebox'
import type { TObject, TSchema } from 'typebox'

/** A required field with its value in the example. */
class Sample<Value> {
  constructor(
    readonly value: Value,
    readonly schema: TSchema
  ) {}
}

const described = (description: string | undefined): { description?: string } =>
  description === undefined ? {} : { description }

/** Samples of the usual types, and `of` any schema, which may be optional. */
export const sample = {
  text: (value: string, description?: string) => new Sample(value, Type.String(described(description))),
  integer: (value: number, description?: string) => new Sample(value, Type.Integer(described(description))),
  flag: (value: boolean, description?: string) => new Sample(value, Type.Boolean(described(description))),
  of: <Value>(value: Value, schema: TSchema) => new Sample(value, schema)
}

type Samples = Readonly<Record<string, Sample<unknown>>>
type ViewFields = Readonly<Record<string, TSchema | Sample<unknown>>>

/** The type of an object with sampled fields. */
export type ValuesOf<Fields extends Samples> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Sample<infer Value> ? Value : never
}

export const schemasOf = (fields: ViewFields): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field instanceof Sample ? field.schema : field])
  )

/** Returns the values of the sampled fields. */
export const exampleOf = (fields: ViewFields): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (field instanceof Sample ? [[name, field.value]] : []))
  )

/** Returns the schema of a named object; its example has the sampled fields, if any. */
export const view = ($id: string, fields: ViewFields, description?: string): TObject => {
  const example = exampleOf(fields)
  const examples = Object.keys(example).length > 0 ? { examples: [example] } : {}
  return Type.Object(schemasOf(fields), { $id, ...described(description), ...examples })
}
