// The lines of an answer, opened, a few at a time: as many as a chunk has ended.
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Longer than any message: one tells of at most one thing beyond its bounds. */
const LONGEST_LINE = 128 * 1024 * 1024

/**
 * Answers with the lines that each chunk ends: with none where it is only a part of one.
 * @param open what a line is made of; throws where it cannot be opened
 * @throws Error when a line is too long, or the answer breaks off
 */
export async function* openedLines(
  answer: Readable,
  open: (text: string) => string
): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8')
  let parts: string[] = []
  let length = 0
  for await (const chunk of answer) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('an answer without bytes')
    const pieces = decoder.write(chunk).split('\n')
    const last = pieces.pop() ?? ''
    const lines: string[] = []
    for (const piece of pieces) {
      lines.push(open([...parts, piece].join('')))
      ;[parts, length] = [[], 0]
    }
    parts.push(last)
    length += last.length
    if (length > LONGEST_LINE) throw new Error('the primary sent a line that is too long')
    yield lines
  }
}
