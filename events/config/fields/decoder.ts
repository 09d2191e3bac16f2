import { recover } from '../../errors.js'

/** `EnvoyListenerJSON` in snake case: `envoy_listener_json`. */
const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()

/** The letter case of field names: any, as the clients of the reference, or exact as in the contract (decisions.md 3). Both accept snake case. */
export type Spelling = 'any' | 'exact'

/** Set by the server and never written in snake case. */
const PLAIN: ReadonlySet<string> = new Set(['CreateIndex', 'ModifyIndex'])

export const spellingsOf = (names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    names.flatMap(name => [
      [name.toLowerCase(), name] as const,
      ...(PLAIN.has(name) ? [] : [[snakeCase(name), name] as const])
    ])
  )

export const fieldOf = (
  spelled: string,
  spellings: ReadonlyMap<string, string>,
  spelling: Spelling
): string | undefined => {
  const name = spellings.get(spelled.toLowerCase())
  if (spelling === 'any' || name === undefined || spelled === name) return name
  return spelled.includes('_') && spelled === spelled.toLowerCase() ? name : undefined
}

/** An invalid or conflicting entry. The text names the rule, and the field or the entries. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Runs checks and collects every error instead of throwing the first. */
export class Faults {
  readonly texts: string[] = []

  readonly check = (run: () => void): void =>
    recover(run, ConfigError, ({ message }) => {
      if (!this.texts.includes(message)) this.texts.push(message)
    })
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** The schemas of input and output. Decoders also accept further, undocumented forms. */
export interface Schemas {
  readonly given: JsonSchema
  readonly shown: JsonSchema
}

/** Decodes a value at a path such as `Routes[0].Match`, by default in any case of field names. @throws ConfigError naming the path and the rule */
export interface Decoder<Value> {
  (given: unknown, path: string, spelling?: Spelling): Value
  readonly schemas: Schemas
}

export const decoder = <Value>(
  schemas: Schemas,
  read: (given: unknown, path: string, spelling?: Spelling) => Value
): Decoder<Value> => Object.assign(read, { schemas })

export const sameSchema = (schema: JsonSchema): Schemas => ({ given: schema, shown: schema })

export const composedOf = ({ given, shown }: Schemas, make: (schema: JsonSchema) => JsonSchema): Schemas => ({
  given: make(given),
  shown: make(shown)
})
