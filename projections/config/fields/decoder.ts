// What reads a value, and says of itself in JSON Schema what it reads.

/** `EnvoyListenerJSON` in snake case: `envoy_listener_json`. */
const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()

/**
 * Whether the letter case of field names matters: in any way, as clients of the reference write them, or exactly as the
 * contract does (decisions.md 3). Snake case is accepted both ways.
 */
export type Spelling = 'any' | 'exact'

/** Set by the service and never written in snake case. */
const PLAIN: ReadonlySet<string> = new Set(['CreateIndex', 'ModifyIndex'])

/** Names of fields by their accepted spellings in lower case; the letter case of what is given does not matter. */
export const spellingsOf = (names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    names.flatMap(name => [
      [name.toLowerCase(), name] as const,
      ...(PLAIN.has(name) ? [] : [[snakeCase(name), name] as const])
    ])
  )

/** The field that a name stands for; undefined for none. */
export const fieldOf = (
  spelled: string,
  spellings: ReadonlyMap<string, string>,
  spelling: Spelling
): string | undefined => {
  const name = spellings.get(spelled.toLowerCase())
  if (spelling === 'any' || name === undefined || spelled === name) return name
  return spelled.includes('_') && spelled === spelled.toLowerCase() ? name : undefined
}

/** An entry breaks a rule or stands against others. The text names the rule, and the field or the entries. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Runs checks and keeps what they find, in place of letting the first fault end it. */
export class Faults {
  readonly texts: string[] = []

  readonly check = (run: () => void): void => {
    try {
      run()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      if (!this.texts.includes(error.message)) this.texts.push(error.message)
    }
  }
}

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
