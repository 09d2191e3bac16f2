// Query parameters that are not any text.
import * as Type from 'typebox'

/** A parameter that counts when it is there, whatever its value. */
export const present = (description: string) => Type.Literal(true, { description })

/** A parameter that may be given several times. */
export const repeated = (description: string) => Type.Array(Type.String(), { description })

/** An unsigned integer of 64 bits. */
export const unsigned64 = (description: string) => Type.Integer({ minimum: 0, description })
