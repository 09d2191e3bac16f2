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
