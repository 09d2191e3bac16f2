// The description of a token that a login made (spec: auth.md §8).

/** Given with a login; kept nowhere but in the description. */
export type Meta = Readonly<Record<string, string>>

const ESCAPED = /[<>&\u2028\u2029]/g
const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What was done, and Meta as JSON with its keys in the order of their bytes and nothing in it that HTML would mind. */
export const describe = (done: string, meta: Meta): string => {
  const entries = Object.entries(meta)
  if (entries.length === 0) return done
  const sorted = entries.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const text = sorted.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')
  return `${done}: {${text}}`.replaceAll(ESCAPED, escape)
}
