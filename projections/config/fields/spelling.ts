// The spellings that a field's name is accepted in (spec: config.md §2).

/** `EnvoyListenerJSON` in snake case: `envoy_listener_json`. */
const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()

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
