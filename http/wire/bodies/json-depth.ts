// Limits the nesting of JSON before it is parsed, since code that processes values recurses once per level.

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

/** Parses a JSON text of at most 128 levels. @throws SyntaxError */
export const parseBounded = (text: string, parse: (text: string) => unknown = JSON.parse): unknown => {
  if (isDeeperThan(DEEPEST_BODY, text))
    throw new SyntaxError(`the JSON is nested deeper than ${DEEPEST_BODY} levels`)
  return parse(text)
}
