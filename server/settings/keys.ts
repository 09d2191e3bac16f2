import * as Type from 'typebox'
import { schema } from './schema.js'
import { notesOf, type KeyNotes } from './values.js'

/** Returns the Levenshtein distance. Time is the product of the lengths. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, letter] of Array.from(a).entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (letter === b[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

/** Returns the most similar name, if one is similar: a small edit distance, a common prefix, or an equal last part of the dotted path. */
export const nearestKey = (given: string, names: Iterable<string>): string | undefined => {
  if (given.length > 100) return undefined
  let best: string | undefined
  let least = Math.max(2, Math.floor(given.length / 3)) + 1
  for (const name of names) {
    const related =
      given.startsWith(`${name}_`) || name.startsWith(`${given}_`) || lastPart(given) === lastPart(name)
    const apart = Math.min(distance(given.toLowerCase(), name.toLowerCase()), related ? 2 : Infinity)
    if (apart < least) [best, least] = [name, apart]
  }
  return best
}

export interface Key {
  /** Dotted path, such as `acl.default_policy`. */
  readonly path: string
  /** Environment variable, such as `ANNALS_ACL_DEFAULT_POLICY`. */
  readonly env: string
  /** Flag without dashes, such as `acl-default-policy`; undefined for maps and secrets. */
  readonly flag: string | undefined
  readonly description: string
  /** The default as in the file; undefined if there is none, or it depends on other keys. */
  readonly value: unknown
  readonly notes: KeyNotes
  readonly schema: Type.TSchema
}

export const ENV_PREFIX = 'ANNALS_'

const flagOf = (path: string, notes: KeyNotes, type: Type.TSchema): string | undefined => {
  if (notes.flag === null || notes.secret === true || Type.IsRecord(type)) return undefined
  return notes.flag ?? path.replaceAll(/[._]/g, '-')
}

const walk = (type: Type.TSchema, path: string): readonly Key[] => {
  const notes = notesOf(type)
  if (notes === undefined) {
    if (!Type.IsObject(type)) return []
    return Object.entries(type.properties).flatMap(([name, inner]) =>
      walk(inner, path === '' ? name : `${path}.${name}`)
    )
  }
  const description: unknown = Reflect.get(type, 'description')
  return [
    {
      path,
      env: ENV_PREFIX + path.toUpperCase().replaceAll('.', '_'),
      flag: flagOf(path, notes, type),
      description: typeof description === 'string' ? description : '',
      value: Reflect.get(type, 'default'),
      notes,
      schema: type
    }
  ]
}

export const keys: readonly Key[] = walk(schema, '')

export const keyByPath: ReadonlyMap<string, Key> = new Map(keys.map(key => [key.path, key]))
export const keyByEnv: ReadonlyMap<string, Key> = new Map(keys.map(key => [key.env, key]))
export const keyByFlag: ReadonlyMap<string, Key> = new Map(
  keys.flatMap(key => (key.flag === undefined ? [] : [[key.flag, key] as const]))
)

/** Returns the default of a key as help and documentation show it. */
export const defaultText = ({ notes, value }: Key): string =>
  notes.otherwise ?? (typeof value === 'string' ? value : JSON.stringify(value))

/** Groups the keys by section, with top-level keys first. */
export const keyGroups = (): ReadonlyMap<string, readonly Key[]> => {
  const groups = new Map<string, Key[]>()
  for (const key of keys) {
    const name = key.path.includes('.') ? key.path.slice(0, key.path.indexOf('.')) : ''
    groups.set(name, [...(groups.get(name) ?? []), key])
  }
  return groups
}
