// JSON with integers beyond 2^53, which commands and pages show and send unchanged.
import { parse } from 'lossless-json'

/** Returns an integer beyond 2^53 as a bigint, and any other number as a double, as in Go. */
const exactNumber = (digits: string): number | bigint => {
  const number = Number(digits)
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(digits) ? number : BigInt(digits)
}

/** Parses JSON without rounding its integers. @throws SyntaxError, also for a repeated key */
export const parseExact = (text: string): unknown => parse(text, undefined, exactNumber)
