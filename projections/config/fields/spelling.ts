// The spellings that a field's name is accepted in (spec: config.md §2).

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
