// What values of a stream's parameters may look like.
import { invalid } from '../../actors/refusal.js'

/** Where the parameters of a stream are: in the query of a request, or in a message over a WebSocket. */
export interface NamedValues {
  has(name: string): boolean
  /** The first value; undefined when the parameter is absent. */
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

/** The first value; undefined also when it is empty. */
export const firstValueOf = (values: NamedValues, name: string): string | undefined =>
  values.get(name) || undefined

const INTEGER = /^[+-]?\d+$/
const LARGEST = 2n ** 63n - 1n
/** Texts of this length at most are repeated in an error. */
const LONGEST_SHOWN = 200

/** A text of a caller as an error repeats it. */
export const quoteValue = (text: string): string => JSON.stringify(text.slice(0, LONGEST_SHOWN))

/** Whether a text looks like a whole number, of whatever size and sign. */
export const isInteger = (text: string): boolean => INTEGER.test(text)

/**
 * A whole number from 0 to 2^63-1.
 * @param name as in "Invalid index"
 * @param unparsable how the refusal of what is no such number begins
 * @throws Refusal `invalid`
 */
export const integer = (text: string, name: string, unparsable = `Unable to parse ${name}`): number => {
  if (!INTEGER.test(text)) throw invalid(`${unparsable}: ${quoteValue(text)} is not an integer`)
  const value = BigInt(text)
  if (value > LARGEST) throw invalid(`${unparsable}: ${quoteValue(text)} is out of range`)
  if (value < 0n) throw invalid(`Invalid ${name}: ${quoteValue(text)} is negative`)
  return Number(value)
}

/** A parameter that is true with `true` or without a value. @throws Refusal `invalid` */
export const flag = (values: NamedValues, name: string): boolean => {
  const value = values.get(name)
  if (value === undefined || value === 'false') return false
  if (value === 'true' || value === '') return true
  throw invalid(`Invalid ${name}: ${quoteValue(value)} is neither true nor false`)
}
