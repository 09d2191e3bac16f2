// Lines of bytes that arrive in pieces.
import { ArchiveTooLarge, BadArchive } from './format.js'

const NEWLINE = 10

/** The lines without their ends; the last one must have an end too. @throws BadArchive */
export async function* linesOf(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes: Buffer): string => {
    try {
      return decoder.decode(bytes)
    } catch {
      throw new BadArchive('it holds text that is not UTF-8')
    }
  }
  let [begun, size]: [Buffer[], number] = [[], 0]
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      checkSize(size + end - start, limit)
      const rest = chunk.subarray(start, end)
      yield decode(begun.length === 0 ? rest : Buffer.concat([...begun, rest]))
      ;[begun, size] = [[], 0]
      start = end + 1
    }
    if (start === chunk.length) continue
    begun.push(chunk.subarray(start))
    size += chunk.length - start
    checkSize(size, limit)
  }
  if (size > 0) throw new BadArchive('its last line is cut short')
}

const checkSize = (size: number, limit: number): void => {
  if (size > limit)
    throw new ArchiveTooLarge(`it holds a line of more than ${limit} bytes (limits.snapshot_line_bytes)`)
}
