import { invalid } from '../../actors/refusal.js'
import { repeated } from '../wire/query.js'
import { isEventFormat, type EventFormat } from '../../projections/stream/formats/event-format.js'

/** Named parameters: the query of a request, or a WebSocket message. */
export interface NamedValues {
  has(name: string): boolean
  /** Returns the first value; undefined when the parameter is absent. */
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

export const namedValues = (all: (name: string) => readonly string[]): NamedValues => ({
  has: name => all(name).length > 0,
  get: name => all(name)[0],
  all
})

export const firstValueOf = (values: NamedValues, name: string): string | undefined =>
  values.get(name) || undefined

const INTEGER = /^[+-]?\d+$/
const LARGEST = 2n ** 63n - 1n
const LONGEST_SHOWN = 200

export const quoteValue = (text: string): string => JSON.stringify(text.slice(0, LONGEST_SHOWN))

export const isInteger = (text: string): boolean => INTEGER.test(text)

/**
 * Parses an integer from 0 to 2^63-1.
 * @param name as in "Invalid index"
 * @param unparsable the beginning of the refusal of other texts
 * @throws Refusal `invalid`
 */
export const integer = (text: string, name: string, unparsable = `Unable to parse ${name}`): number => {
  if (!INTEGER.test(text))
    throw invalid('stream.invalid', `${unparsable}: ${quoteValue(text)} is not an integer`)
  const value = BigInt(text)
  if (value > LARGEST) throw invalid('stream.invalid', `${unparsable}: ${quoteValue(text)} is out of range`)
  if (value < 0n) throw invalid('stream.invalid', `Invalid ${name}: ${quoteValue(text)} is negative`)
  return Number(value)
}

/** Parses a flag, which is true with `true` or without a value. @throws Refusal `invalid` */
export const flag = (values: NamedValues, name: string): boolean => {
  const value = values.get(name)
  if (value === undefined || value === 'false') return false
  if (value === 'true' || value === '') return true
  throw invalid('stream.invalid', `Invalid ${name}: ${quoteValue(value)} is neither true nor false`)
}

/** Returns the format of events; undefined for their own. @throws Refusal `invalid` */
export const formatOf = (values: NamedValues, formats: readonly string[]): EventFormat | undefined => {
  const format = firstValueOf(values, 'format')
  if (format === undefined) return undefined
  if (!isEventFormat(format) || !formats.includes(format))
    throw invalid('stream.invalid', `Invalid format: ${quoteValue(format)} is none of ${formats.join(', ')}`)
  return format
}

export const SELECTION = {
  topic: repeated(
    'Topic, Topic:key, or Topic:folder/ for the keys below one; the union counts; none: everything; any: of everything what may be seen'
  ),
  type: repeated('Only events of these types'),
  filter: 'Only events that pass this expression, such as Key matches "^web" and Payload.KV.Flags == 42',
  ns: 'Namespace of the events, * for all; default when absent',
  namespace: 'The same as ns',
  partition: 'Partition of the events, * for all; default when absent',
  format:
    'Events as records of another product, with the origin of their commit: ocsf (1.7.0) or ecs (8.17.0); needs operator:read',
  meta: 'Each message tells who made its commit and when; needs operator:read'
}
