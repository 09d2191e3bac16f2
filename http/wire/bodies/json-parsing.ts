import { isLosslessNumber, parse } from 'lossless-json'
import { invalid } from '../../../actors/refusal.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])

const DEEPEST_BODY = 128

/** Returns the position of the quote that ends the string begun at `start`, or the end of the text. */
const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  for (; end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}

/**
 * Returns true if the first JSON value in a text has more than `most` levels of arrays and objects. The text need not be valid JSON.
 */
export const isDeeperThan = (most: number, text: string): boolean => {
  if (text.length <= most) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === QUOTE) i = endOfString(text, i)
    else if (OPENING.has(unit)) {
      if (++depth > most) return true
    } else if (CLOSING.has(unit) && --depth <= 0) return false
  }
  return false
}

const SURROGATE = /\\u[dD][89a-fA-F]/
/** A pair of surrogates, one alone, or any other escape. */
const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g

/** Returns a JSON text with U+FFFD in place of each surrogate without its partner, which has no UTF-8, as invalid bytes are read. */
const wellFormed = (text: string): string =>
  SURROGATE.test(text)
    ? text.replace(ESCAPE, (escape, alone?: string) => (alone === undefined ? escape : String.raw`\ufffd`))
    : text

/** Texts that may hold a number beyond the largest double. Also matches within strings, which only costs time. */
const MAY_OVERFLOW = /[eE]\+?\d{3}|\d{20}/

/** An infinite number would become `null` in the log. @throws SyntaxError */
const checkFinite = (value: unknown, path = ''): void => {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new SyntaxError(`field "${path}" holds a number that is too large`)
  if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) checkFinite(item, path === '' ? key : `${path}.${key}`)
}

/** Parses a JSON text of at most 128 levels and of numbers that a double can hold. @throws SyntaxError */
export const parseBounded = (text: string, parser: (text: string) => unknown = JSON.parse): unknown => {
  if (isDeeperThan(DEEPEST_BODY, text))
    throw new SyntaxError(`the JSON is nested deeper than ${DEEPEST_BODY} levels`)
  const value = parser(wellFormed(text))
  if (MAY_OVERFLOW.test(text)) checkFinite(value)
  return value
}

const DIGITS = /^\d{1,20}$/
export const MAX_UINT64 = 2n ** 64n - 1n

/** Parses decimal digits. Returns undefined for other texts and values over 2^64-1. */
export const parseUnsigned = (text: string): bigint | undefined => {
  const value = DIGITS.test(text) ? BigInt(text) : undefined
  return value === undefined || value > MAX_UINT64 ? undefined : value
}

/** @throws Refusal `invalid` that names the parameter */
export const unsigned = (name: string, text: string): bigint => {
  const value = parseUnsigned(text)
  if (value === undefined)
    throw invalid(
      'request.invalid',
      `Invalid ${name} "${text}": it must be an unsigned integer of 64 bits in decimal digits`
    )
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
