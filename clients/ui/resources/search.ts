/** The searched text of each row in lower case, cached because rows are immutable. */
const searchTexts = new WeakMap<object, string>()

const cacheText = (row: object, texts: readonly string[]): string => {
  const text = texts.join('\n').toLowerCase()
  searchTexts.set(row, text)
  return text
}

/** Returns a case-insensitive search; an empty text matches all. @param textsOf must return the same texts for the same row */
export const finder = <Row extends object>(
  search: string,
  textsOf: (row: Row) => readonly string[]
): ((row: Row) => boolean) => {
  const text = search.trim().toLowerCase()
  if (text === '') return () => true
  return row => (searchTexts.get(row) ?? cacheText(row, textsOf(row))).includes(text)
}
