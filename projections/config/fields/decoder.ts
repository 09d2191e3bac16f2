// What reads a value, and says of itself in JSON Schema what it reads.
import type { Spelling } from './spelling.js'

export type JsonSchema = Readonly<Record<string, unknown>>

/** What a value may be where it is given, and what it is where it is shown. Further readings are accepted, and not told. */
export interface Schemas {
  readonly given: JsonSchema
  readonly shown: JsonSchema
}

/**
 * Reads a value given at a path such as `Routes[0].Match`, in which fields are spelled in any way unless said otherwise.
 * @throws ConfigError naming the path and the rule
 */
export interface Decoder<Value> {
  (given: unknown, path: string, spelling?: Spelling): Value
  readonly schemas: Schemas
}

export const decoder = <Value>(
  schemas: Schemas,
  read: (given: unknown, path: string, spelling?: Spelling) => Value
): Decoder<Value> => Object.assign(read, { schemas })

/** Of a value that is shown as it is given. */
export const sameSchema = (schema: JsonSchema): Schemas => ({ given: schema, shown: schema })

/** Schemas that are made of others. */
export const composedOf = ({ given, shown }: Schemas, make: (schema: JsonSchema) => JsonSchema): Schemas => ({
  given: make(given),
  shown: make(shown)
})
