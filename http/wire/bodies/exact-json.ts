// JSON in which unsigned integers of 64 bits are kept exactly and told from other spellings of numbers.
import { isLosslessNumber, parse } from 'lossless-json'
import { parseUnsigned } from '../reads/unsigned.js'

/** Fields whose values are such integers, in lower case. */
const EXACT: ReadonlySet<string> = new Set(['index', 'flags', 'createindex', 'modifyindex'])

/**
 * Numbers that JSON.parse cannot give back: of 16 digits or more, with a fraction, an exponent or a sign. Such texts
 * within strings are found as well, which costs time and nothing else.
 */
const SUBTLE = /[:,[]\s*(?:-|\d{16}|\d+[.eE])/

/**
 * The value of a JSON text. In the fields named above an integer beyond 2^53 becomes a bigint, and a number that is no
 * unsigned integer in plain digits an object, which no schema takes for a number.
 * @throws SyntaxError
 */
export const parseExact = (text: string): unknown => {
  if (!SUBTLE.test(text)) return JSON.parse(text)
  return parse(text, (key, value) => {
    if (!isLosslessNumber(value)) return value
    const digits = value.toString()
    if (!EXACT.has(key.toLowerCase())) return Number(digits)
    const exact = parseUnsigned(digits)
    if (exact === undefined) return value
    return exact > BigInt(Number.MAX_SAFE_INTEGER) ? exact : Number(exact)
  })
}
