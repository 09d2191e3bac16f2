// JSON whose integers beyond 2^53 are kept as they are written, as bigints: pages show them, and send them back.
import { parse } from 'lossless-json'

declare global {
  interface JSON {
    /** What `JSON.stringify` writes as this text. Not in all browsers. */
    rawJSON?(text: string): object
  }
  interface BigInt {
    toJSON(): unknown
  }
}

// Where the browser cannot write them as numbers, they are texts of their digits.
// oxlint-disable-next-line no-extend-native -- the one way in which `JSON.stringify` writes them, wherever they stand
BigInt.prototype.toJSON = function () {
  const digits = this.toString()
  return JSON.rawJSON?.(digits) ?? digits
}

/** Only texts with so many digits in a row can hold such integers; all others are read by the browser, which is faster. */
const LONG = /\d{16}/

const numberOf = (digits: string): number | bigint => {
  const number = Number(digits)
  return /^-?\d+$/.test(digits) && !Number.isSafeInteger(number) ? BigInt(digits) : number
}

/** The value of a JSON text. `JSON.stringify` writes its integers as they were. @throws SyntaxError */
export const parseExact: typeof JSON.parse = text =>
  LONG.test(text) ? parse(text, undefined, { parseNumber: numberOf }) : JSON.parse(text)
