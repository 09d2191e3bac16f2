// The configuration keys as a list: path, environment variable, flag, schema.
import * as Type from 'typebox'
import { schema } from './schema.js'
import { notesOf } from './values.js'
import type { KeyNotes } from './values.js'

/** One configuration key. */
export interface Key {
  /** Dotted path, such as `acl.default_policy`. */
  readonly path: string
  /** Environment variable, such as `ANNALS_ACL_DEFAULT_POLICY`. */
  readonly env: string
  /** Flag without dashes, such as `acl-default-policy`; undefined for maps and secrets. */
  readonly flag: string | undefined
  readonly description: string
  /** The default as it would be written in the file; undefined when it depends on other keys or there is none. */
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

/** All keys, in the order of the declaration. */
export const keys: readonly Key[] = walk(schema, '')

export const keyByPath: ReadonlyMap<string, Key> = new Map(keys.map(key => [key.path, key]))
export const keyByEnv: ReadonlyMap<string, Key> = new Map(keys.map(key => [key.env, key]))
export const keyByFlag: ReadonlyMap<string, Key> = new Map(
  keys.flatMap(key => (key.flag === undefined ? [] : [[key.flag, key] as const]))
)
