// Sums what passes by.
import type { Hash } from 'node:crypto'

/** The same chunks; each is added to the sum before it is handed on. */
export async function* withChecksum(chunks: AsyncIterable<Buffer>, sum: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    sum.update(chunk)
    yield chunk
  }
}
