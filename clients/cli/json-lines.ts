// The lines of a JSON stream. `readline` would also split at U+2028, which JSON texts may contain.
const LINE_FEED = 0x0a

class LineTooLong extends Error {
  override readonly name = 'LineTooLong'
}

/** Yields lines without line feeds, omitting an empty last one. @param limit maximum of bytes in a line @throws LineTooLong */
export async function* jsonLinesOf(
  source: AsyncIterable<Buffer | string>,
  limit: number
): AsyncGenerator<string> {
  let pieces: Buffer[] = []
  let bytes = 0
  const take = (piece: Buffer): void => {
    bytes += piece.length
    if (bytes > limit) throw new LineTooLong(`a line is longer than ${limit} bytes`)
    pieces.push(piece)
  }
  const line = (): string => {
    const text = Buffer.concat(pieces).toString()
    pieces = []
    bytes = 0
    return text
  }
  for await (const data of source) {
    const chunk = typeof data === 'string' ? Buffer.from(data) : data
    let at = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
      take(chunk.subarray(at, end))
      yield line()
      at = end + 1
    }
    take(chunk.subarray(at))
  }
  if (bytes > 0) yield line()
}

/** Yields the lines of a JSON array. @param textOf returns the JSON of an element with its indent */
export async function* arrayLines<Element>(
  elements: AsyncIterable<Element>,
  textOf: (element: Element) => string
): AsyncGenerator<string> {
  let before: string | undefined
  for await (const element of elements) {
    yield before === undefined ? '[' : `${before},`
    before = textOf(element)
  }
  yield before === undefined ? '[]' : `${before}\n]`
}
