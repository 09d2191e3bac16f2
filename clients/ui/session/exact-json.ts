// JSON with integers beyond 2^53 as bigints, so that pages show and send them unchanged.
import { parseExact as parseAllExact } from '../../exact-json.js'

declare global {
  interface JSON {
    /** Returns a value that `JSON.stringify` writes as this text. Not available in all browsers. */
    rawJSON?(text: string): object
  }
  interface BigInt {
    toJSON(): unknown
  }
}

// Browsers without `rawJSON` write such integers as strings.
// oxlint-disable-next-line no-extend-native -- the one way in which `JSON.stringify` writes them, wherever they stand
BigInt.prototype.toJSON = function () {
  const digits = this.toString()
  return JSON.rawJSON?.(digits) ?? digits
}

/** Only texts with 16 digits in a row can contain unsafe integers; the faster parser of the browser reads all others. */
const LONG = /\d{16}/

/** Parses JSON with exact integers. @throws SyntaxError */
export const parseExact: typeof JSON.parse = text =>
  LONG.test(text) ? parseAllExact(text) : JSON.parse(text)
