import {
  ConfigError,
  decoder,
  fieldOf,
  spellingsOf,
  type Decoder,
  type Schemas,
  type Spelling
} from './decoder.js'
import { isEmptyValue, isObject } from '../../values.js'
import { type Json, wrongType } from './scalars.js'

type Presence = 'always' | 'sometimes' | 'never'

/** `read` gets undefined for an absent or null value, and returns undefined to omit the field. */
export interface Field<Value, Shown extends Presence> {
  readonly shown: Shown
  readonly schemas: Schemas
  readonly read: (given: unknown, path: string, spelling: Spelling) => Value | undefined
}

export type Fields = Readonly<Record<string, Field<unknown, Presence>>>
type ValueOf<F> = F extends Field<infer Value, Presence> ? Value : never
type NamesShown<F extends Fields, Shown extends Presence> = {
  [Name in keyof F]: F[Name]['shown'] extends Shown ? Name : never
}[keyof F]

/** The value of an object with these fields. */
export type DecodedFields<F extends Fields> = {
  readonly [Name in NamesShown<F, 'always'>]: ValueOf<F[Name]>
} & { readonly [Name in NamesShown<F, 'sometimes'>]?: ValueOf<F[Name]> }

/** A required field; `absent` replaces a missing value. */
export const always = <Value>(decode: Decoder<Value>, absent: unknown): Field<Value, 'always'> => ({
  shown: 'always',
  schemas: decode.schemas,
  read: (given, path, spelling) => decode(given ?? absent, path, spelling)
})

/** A required field; null if it is missing. */
export const nullable = <Value>(decode: Decoder<Value>): Field<Value | null, 'always'> => ({
  shown: 'always',
  schemas: { ...decode.schemas, shown: { anyOf: [decode.schemas.shown, { type: 'null' }] } },
  read: (given, path, spelling) => (given === undefined ? null : decode(given, path, spelling))
})

/** Omitted if it is empty, zero or false. */
export const storedIfFilled = <Value>(decode: Decoder<Value>): Field<Value, 'sometimes'> => ({
  shown: 'sometimes',
  schemas: decode.schemas,
  read: (given, path, spelling) => {
    if (given === undefined) return undefined
    const value = decode(given, path, spelling)
    return isEmptyValue(value) ? undefined : value
  }
})

/** Omitted only if it is missing. */
export const storedAsGiven = <Value>(decode: Decoder<Value>): Field<Value, 'sometimes'> => ({
  shown: 'sometimes',
  schemas: decode.schemas,
  read: (given, path, spelling) => (given === undefined ? undefined : decode(given, path, spelling))
})

/** Accepted and omitted. */
export const ignoredKey = <Value>(decode: Decoder<Value>): Field<Value, 'never'> => ({
  shown: 'never',
  schemas: decode.schemas,
  read: (given, path, spelling) => {
    if (given !== undefined) decode(given, path, spelling)
    return undefined
  }
})

/** Decoded objects have every required field, because their `read` never returns undefined. */
const isComplete = <F extends Fields>(_fields: F, value: object): value is DecodedFields<F> => value !== null

const namesOf = (fields: Fields, shown: readonly Presence[]): readonly string[] =>
  Object.keys(fields).filter(name => fields[name] && shown.includes(fields[name].shown))

const schemasOf = (fields: Fields): Schemas => {
  const only = (names: readonly string[], view: keyof Schemas) =>
    Object.fromEntries(names.map(name => [name, fields[name]?.schemas[view]]))
  return {
    given: { type: 'object', properties: only(Object.keys(fields), 'given'), additionalProperties: false },
    shown: {
      type: 'object',
      properties: only(namesOf(fields, ['always', 'sometimes']), 'shown'),
      required: namesOf(fields, ['always'])
    }
  }
}

/** An object with exactly these fields, in their order (spec: config.md §3). Cost: its own size. */
export const object = <const F extends Fields>(fields: F): Decoder<DecodedFields<F>> => {
  const spellings = spellingsOf(Object.keys(fields))
  const all = Object.entries(fields)
  return decoder(schemasOf(fields), (given, path, spelling = 'any') => {
    const value: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given
    if (!isObject(value)) throw wrongType(path, 'an object', value)
    const spelled = byName(value, spellings, path, spelling)
    const read: Record<string, unknown> = {}
    for (const [name, field] of all) {
      const key = spelled.get(name)
      // A null counts as absent.
      const item = key === undefined ? undefined : (value[key] ?? undefined)
      const shown = field.read(item, path === '' ? name : `${path}.${name}`, spelling)
      if (shown !== undefined) read[name] = shown
    }
    if (isComplete(fields, read)) return read
    throw wrongType(path, 'an object', value)
  })
}

/** The keys of a value by canonical field name. */
const byName = (
  value: Json,
  spellings: ReadonlyMap<string, string>,
  path: string,
  spelling: Spelling
): ReadonlyMap<string, string> => {
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`)
  const spelled = new Map<string, string>()
  for (const key of Object.keys(value)) {
    const name = fieldOf(key, spellings, spelling)
    if (name === undefined) throw new ConfigError(`unknown field "${at(key)}"`)
    const before = spelled.get(name)
    if (before !== undefined) throw new ConfigError(`field "${at(key)}" is given twice: also as "${before}"`)
    spelled.set(name, key)
  }
  return spelled
}
