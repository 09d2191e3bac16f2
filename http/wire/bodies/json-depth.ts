// How deep a JSON text is nested, known before anything is made of it: what works on values recurs once for each level.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Levels of nesting that a body may have. */
const DEEPEST_BODY = 128

/** The quote that ends the string begun at `start`; the end of the text when none does. */
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
 * Whether arrays and objects of the first JSON value in a text are nested in more than `most` levels. The text need not
 * be JSON. Cost: its length; none for a text too short to be so deep.
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

/** The value of a JSON text of bounded depth. @throws SyntaxError */
export const parseBounded = (text: string, parse: (text: string) => unknown = JSON.parse): unknown => {
  if (isDeeperThan(DEEPEST_BODY, text))
    throw new SyntaxError(`the JSON is nested deeper than ${DEEPEST_BODY} levels`)
  return parse(text)
}
