// Decoders of texts, numbers, booleans and durations, with the lenient forms that clients send which convert HCL to JSON
// (spec: config.md §2). All decoders are pure and linear in the length of the input.
import { formatDuration, invalidDuration, parseDuration } from '../../duration.js'
import { FALSE_TEXTS, TRUE_TEXTS, isObject } from '../../values.js'
import { ConfigError, sameSchema, decoder, type Decoder, composedOf } from './decoder.js'

const MAX_INT64 = 2 ** 63
const INTEGER = /^[+-]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]*|[1-9][0-9]*)$/
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

const typeName = (given: unknown): string =>
  given === null
    ? 'null'
    : Array.isArray(given)
      ? 'an array'
      : typeof given === 'object'
        ? 'an object'
        : typeof given

export const wrongType = (path: string, expected: string, given: unknown): ConfigError =>
  new ConfigError(`field "${path}" must be ${expected}, not ${typeName(given)}`)

/** An array with one element stands for that element. */
export const single = (given: unknown): unknown =>
  Array.isArray(given) && given.length === 1 ? given[0] : given

/** A number without an exponent. */
const digits = (value: number): string =>
  Number.isInteger(value) ? BigInt(value).toString() : value.toString()

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }

export const text = decoder(sameSchema(TEXT), (given, path): string => {
  const value = single(given)
  if (typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return digits(value)
  if (typeof value === 'boolean') return value ? '1' : '0'
  throw wrongType(path, 'a text', value)
})

export const lowerText = decoder(text.schemas, (given, path) => text(given, path).toLowerCase())

export const flag = decoder(sameSchema({ type: 'boolean' }), (given, path): boolean => {
  const value = single(given)
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value !== 0
  if (typeof value === 'string' && TRUE_TEXTS.has(value)) return true
  if (typeof value === 'string' && (value === '' || FALSE_TEXTS.has(value))) return false
  throw wrongType(path, 'true or false', value)
})

/** An integer as text, with the prefixes of Go: `0x10`, `0b1`, `0o7`, `017`. */
const integerOf = (given: string): number | undefined => {
  if (given === '') return 0
  if (given.length > 70 || !INTEGER.test(given)) return undefined
  const negative = given.startsWith('-')
  const plain = given.replace(/^[+-]/, '')
  const octal = /^0[oO]?([0-7]+)$/.exec(plain)?.[1]
  const value = Number(octal === undefined ? plain : `0o${octal}`)
  return negative && value !== 0 ? -value : value
}

const whole = (lowest: number, highest: number, expected: string): Decoder<number> =>
  decoder(sameSchema({ type: 'integer', minimum: lowest, maximum: highest }), (given, path) => {
    const value = single(given)
    const read =
      typeof value === 'number'
        ? Math.trunc(value)
        : typeof value === 'boolean'
          ? Number(value)
          : typeof value === 'string'
            ? integerOf(value)
            : undefined
    if (read === undefined || Number.isNaN(read)) throw wrongType(path, expected, value)
    if (read < lowest || read > highest)
      throw new ConfigError(`field "${path}" must be ${expected}, not ${String(value)}`)
    return read + 0
  })

const MAX_EXACT = Number.MAX_SAFE_INTEGER
/** Larger numbers would be rounded, and clients could not decode them as 64 bits. */
export const integer = whole(-MAX_EXACT, MAX_EXACT, `a whole number from -${MAX_EXACT} to ${MAX_EXACT}`)
export const uint32 = whole(0, 2 ** 32 - 1, 'a whole number from 0 to 4294967295')
/** As `integer`, and not negative. */
export const uint64 = whole(0, MAX_EXACT, `a whole number from 0 to ${MAX_EXACT}`)

export const decimal = decoder(sameSchema(NUMBER), (given, path): number => {
  const value = single(given)
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value === 'boolean') return Number(value)
  if (value === '') return 0
  if (typeof value === 'string' && value.length <= 400 && DECIMAL.test(value)) {
    const read = Number(value)
    if (Number.isFinite(read)) return read
  }
  throw wrongType(path, 'a number', value)
})

const DURATION = { anyOf: [TEXT, NUMBER], description: 'A duration such as 30s, or a number of nanoseconds' }

export const nanoseconds = decoder({ given: DURATION, shown: NUMBER }, (given, path): number => {
  const value = single(given)
  const read =
    typeof value === 'number' && Math.abs(value) < MAX_INT64
      ? Math.trunc(value) + 0
      : typeof value === 'string'
        ? parseDuration(value)
        : undefined
  if (read === undefined) {
    const fault =
      typeof value === 'string' ? `: ${invalidDuration(value)}` : ' must be a duration such as 30s'
    throw new ConfigError(`field "${path}"${fault}, or a number of nanoseconds`)
  }
  return read
})

/** '' for a duration of 0, so that a field can be omitted. */
export const durationText = decoder({ given: DURATION, shown: TEXT }, (given, path) => {
  const read = nanoseconds(given, path)
  return read === 0 ? '' : formatDuration(read)
})

// Decoders of lists, maps and free values of configuration entries (spec: config.md §2).

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
