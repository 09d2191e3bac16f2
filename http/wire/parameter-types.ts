import * as Type from 'typebox'

/** A parameter whose presence counts, whatever its value. */
export const present = (description: string) => Type.Literal(true, { description })

export const repeated = (description: string) => Type.Array(Type.String(), { description })

export const unsigned64 = (description: string) => Type.Integer({ minimum: 0, description })
