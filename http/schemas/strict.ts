// Schemas of bodies: unknown fields are errors, and most fields are optional.
import * as Type from 'typebox'
import type { TObjectOptions, TProperties, TSchemaOptions } from 'typebox'

/** An object in which unknown fields are errors. */
export const strict = <Properties extends TProperties>(
  properties: Properties,
  options: TObjectOptions = {}
) => Type.Object(properties, { ...options, additionalProperties: false })

export const text = (description: string) => Type.Optional(Type.String({ description }))
/** An optional field that is true or absent. */
export const mark = (description: string) => Type.Optional(Type.Literal(true, { description }))
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
/** An integer that a double represents exactly. */
export const wholeNumber = (options: TSchemaOptions) =>
  Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...options })
/** 0 to 2^64-1; integers beyond 2^53 come as bigint (http/wire/bodies/json-parsing.ts). */
export const unsigned = (options: TSchemaOptions) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.BigInt()], options)
export const integer = (description: string) => Type.Optional(wholeNumber({ description }))
export const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

/**
 * Our own JSON Schema keyword: the possible schemas of a value whose schema accepts anything because other code validates it. Validators
 * ignore it, and the API documentation shows it instead of the schema.
 */
export const SCHEMA_BY_TYPE = 'forms'

/** The tenancy in a body, which takes precedence over parameters and headers (tenancy.md §5.1). */
export const tenancyFields = {
  Namespace: text('Namespace of the resource'),
  Partition: text('Admin partition of the resource')
}
