// JSON parsing that preserves unsigned 64-bit integers.
import { isLosslessNumber, parse } from 'lossless-json'
import { invalid } from '../../../actors/refusal.js'

const DIGITS = /^\d{1,20}$/
const MAX_UINT64 = 2n ** 64n - 1n

/** Parses decimal digits. Returns undefined for other texts and values over 2^64-1. */
export const parseUnsigned = (text: string): bigint | undefined => {
  const value = DIGITS.test(text) ? BigInt(text) : undefined
  return value === undefined || value > MAX_UINT64 ? undefined : value
}

/** @throws Refusal `invalid` that names the parameter */
export const unsigned = (name: string, text: string): bigint => {
  const value = parseUnsigned(text)
  if (value === undefined)
    throw invalid(`Invalid ${name} "${text}": it must be an unsigned integer of 64 bits in decimal digits`)
  return value
}

/** Fields with unsigned 64-bit integers, in lower case. */
const EXACT: ReadonlySet<string> = new Set(['index', 'flags', 'createindex', 'modifyindex'])

/**
 * Numbers that JSON.parse may change: 16 digits or more, a fraction, an exponent or a sign. Also matches such texts within strings,
 * which only costs time.
 */
const SUBTLE = /[:,[]\s*(?:-|\d{16}|\d+[.eE])/

/**
 * Parses JSON. In the fields of `EXACT`, integers beyond 2^53 become bigints, and numbers that are not unsigned integers become objects,
 * which no schema accepts as numbers.
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
