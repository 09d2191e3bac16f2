// What people look for in lists.

/** What is searched in a row, in small letters: rows are values, so that it is made once for each. */
const searched = new WeakMap<object, string>()

const remembered = (row: object, texts: readonly string[]): string => {
  const text = texts.join('\n').toLowerCase()
  searched.set(row, text)
  return text
}

/**
 * Whether a row holds what is looked for; an empty text is anything. Letter case does not matter.
 * @param wanted what people wrote
 * @param textsOf what of a row is searched: always the same of the same row
 */
export const finder = <Row extends object>(
  wanted: string,
  textsOf: (row: Row) => readonly string[]
): ((row: Row) => boolean) => {
  const text = wanted.trim().toLowerCase()
  if (text === '') return () => true
  return row => (searched.get(row) ?? remembered(row, textsOf(row))).includes(text)
}
