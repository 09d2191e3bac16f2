// The body of another server's answer as a text, whose length that server does not decide.
import type { IncomingMessage } from 'node:http'

/**
 * Reads an answer to its end.
 * @param most bytes; one that has more is broken off
 * @throws Error for one that is larger, or broke off
 */
export const textOf = async (answer: IncomingMessage, most: number): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    if (!Buffer.isBuffer(chunk)) throw new Error('an answer has come as text')
    bytes += chunk.length
    // Leaving the loop ends the connection.
    if (bytes > most) throw new Error(`the answer of another server has more than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The largest refusal that is read, in bytes: who asked is shown it, or some of it. */
const MOST_OF_REFUSAL = 64 * 1024

/** Reads what another server says against a request, which is short. @throws Error as `textOf` */
export const refusalIn = (answer: IncomingMessage): Promise<string> => textOf(answer, MOST_OF_REFUSAL)
