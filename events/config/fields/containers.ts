// Decoders of lists, maps and free values of configuration entries (spec: config.md §2).
import { isObject } from '../../values.js'
import { ConfigError, sameSchema, decoder, composedOf, type Decoder } from './decoder.js'
import { wrongType } from './scalars.js'

export type Json = Readonly<Record<string, unknown>>

/** Limit of the nesting of a free value. */
const MAX_DEPTH = 64

/** A list. A single value is a list of one, `{}` an empty one. @param whenNull replaces a null in the list; undefined makes it an error */
export const list = <Value>(decode: Decoder<Value>, whenNull?: unknown): Decoder<readonly Value[]> =>
  decoder(
    composedOf(decode.schemas, items => ({ type: 'array', items })),
    (given, path, spelling) => {
      if (isObject(given) && Object.keys(given).length === 0) return []
      const items: readonly unknown[] = Array.isArray(given) ? given : [given]
      return items.map((item, i) => {
        const at = `${path}[${i}]`
        if (item === null && whenNull === undefined) throw wrongType(at, 'a value', item)
        return decode(item ?? whenNull, at, spelling)
      })
    }
  )

/** The fields of an object, or of several in a list, of which the last one wins. */
const merged = (given: unknown, path: string): readonly (readonly [string, unknown])[] => {
  if (isObject(given)) return Object.entries(given)
  if (Array.isArray(given))
    return given.flatMap((item: unknown, i) => {
      if (isObject(item)) return Object.entries(item)
      throw wrongType(`${path}[${i}]`, 'an object', item)
    })
  throw wrongType(path, 'an object', given)
}

/** A map with unchanged keys. `whenNull` replaces a null value. */
export const mapOf = <Value>(
  decode: Decoder<Value>,
  whenNull: unknown
): Decoder<Readonly<Record<string, Value>>> =>
  decoder(
    composedOf(decode.schemas, additionalProperties => ({ type: 'object', additionalProperties })),
    (given, path, spelling) =>
      Object.fromEntries(
        merged(given, path).map(([key, value]) => [
          key,
          decode(value ?? whenNull, `${path}.${key}`, spelling)
        ])
      )
  )

const checkFree = (value: unknown, path: string, depth: number): void => {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new ConfigError(`field "${path}" holds a number that is too large`)
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw new ConfigError(`field "${path}" is nested deeper than ${MAX_DEPTH} levels`)
  for (const item of Object.values(value)) checkFree(item, path, depth + 1)
}

/** Any JSON object, unchanged. */
export const freeMap = decoder(
  sameSchema({ type: 'object', additionalProperties: true }),
  (given, path): Json => {
    checkFree(given, path, 0)
    return Object.fromEntries(merged(given, path))
  }
)
