// Objects in responses, whose fields declare their values in the example of the object.
import * as Type from 'typebox'
import type { TObject, TSchema, TObjectOptions, TProperties } from 'typebox'
import { wholeNumber } from '../../events/definition/forms/numbers.js'

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

// Schemas of bodies: unknown fields are errors, and most fields are optional.

/** An object in which unknown fields are errors. */
export const strict = <Properties extends TProperties>(
  properties: Properties,
  options: TObjectOptions = {}
) => Type.Object(properties, { ...options, additionalProperties: false })

export const text = (description: string) => Type.Optional(Type.String({ description }))
/** An optional field that is true or absent. */
export const mark = (description: string) => Type.Optional(Type.Literal(true, { description }))
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
export const integer = (description: string) => Type.Optional(wholeNumber({ description }))
export const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

/** The tenancy in a body, which takes precedence over parameters and headers (tenancy.md §5.1). */
export const tenancyFields = {
  Namespace: text('Namespace of the resource'),
  Partition: text('Admin partition of the resource')
}

// Fields that many responses have.

/** The tenancy of a resource. */
export const tenancyView = {
  Namespace: text('Where it is not `default`'),
  Partition: text('Where it is not `default`')
}

/** The indexes of the creation and the last change of a resource. */
export const indexView = {
  CreateIndex: Type.Integer({ description: 'Index of the commit that made it' }),
  ModifyIndex: Type.Integer({ description: 'Index of the commit that changed it last' })
}

/** The same with their value in an example. */
export const indexesAt = (index: number) => ({
  CreateIndex: sample.of(index, indexView.CreateIndex),
  ModifyIndex: sample.of(index, indexView.ModifyIndex)
})

/** A list of texts; null where there is none. */
export const nullableTextList = Type.Union([Type.Array(Type.String()), Type.Null()])
export const textList = Type.Array(Type.String())
/** Any JSON object. */
export const jsonObjectMap = Type.Record(Type.String(), Type.Unknown())

/** Facts about the read itself, the same in every response of a server. */
export const readFacts = {
  Index: Type.Integer(),
  LastContact: Type.Integer(),
  KnownLeader: Type.Boolean(),
  ConsistencyLevel: Type.String({ examples: ['leader'] }),
  NotModified: Type.Boolean(),
  Backend: Type.Integer()
}
