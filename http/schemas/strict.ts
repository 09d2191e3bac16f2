// Schemas of bodies: unknown fields are errors, and most fields are optional.
import * as Type from 'typebox'
import type { TObjectOptions, TProperties } from 'typebox'
import { wholeNumber } from '../../events/definition/forms/numbers.js'

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
