/** Limit of characters in a line. Commits with all their texts are the longest ones. */
const MAX_LINE = 256 * 1024 * 1024

/** Yields the lines of a text as they arrive. @throws Error for a line that is too long */
export async function* linesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal
): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    signal.throwIfAborted()
    const [first = '', ...others] = decoder.decode(read.value, { stream: true }).split('\n')
    rest += first
    for (const other of others) {
      yield rest
      rest = other
    }
    if (rest.length > MAX_LINE) throw new Error('a line is too long')
  }
  if (rest !== '') yield rest
}
