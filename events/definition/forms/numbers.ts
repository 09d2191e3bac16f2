import * as Type from 'typebox'
import type { TSchemaOptions } from 'typebox'
import type { Form } from './form.js'

/** An integer that a double represents exactly. */
export const wholeNumber = (options: TSchemaOptions) =>
  Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...options })

/** 0 to 2^64-1; integers beyond 2^53 come as bigint (http/wire/bodies/json-parsing.ts). */
export const unsignedNumber = (options: TSchemaOptions) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.BigInt()], options)

/** True for a schema of `unsignedNumber`. */
export const isUnsignedNumber = (schema: unknown): boolean =>
  Type.IsUnion(schema) && schema.anyOf.some(Type.IsBigInt)

export const flag: Form = {
  empty: false,
  example: () => true,
  schema: options => Type.Boolean(options),
  filter: () => ({ type: 'bool' })
}

export const integer: Form = {
  empty: 0,
  example: () => 7,
  schema: (options, view) => (view === 'shown' ? Type.Integer(options) : wholeNumber(options)),
  filter: () => ({ type: 'number' })
}

export const unsigned: Form = {
  ...integer,
  schema: (options, view) =>
    view === 'shown' ? Type.Integer({ minimum: 0, ...options }) : unsignedNumber(options)
}
