import type { IncomingMessage } from 'node:http'
import { CODE_HEADER, plain, type RouteResponse } from '../../../http/wire/response.js'

/** An answer that has arrived completely. */
export interface WholeAnswer extends Pick<IncomingMessage, 'rawHeaders' | 'headers'> {
  readonly statusCode: number
  readonly body: Buffer
}

export type ServerAnswer = IncomingMessage | WholeAnswer

/** @throws Error if the answer has more than `most` bytes, or breaks off */
export const textOf = async (answer: ServerAnswer, most: number): Promise<string> => {
  if ('body' in answer) return answer.body.toString()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    if (!Buffer.isBuffer(chunk)) throw new Error('an answer has come as text')
    bytes += chunk.length
    // Leaving the loop closes the connection.
    if (bytes > most) throw new Error(`the answer of another server has more than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Limit of a refusal, in bytes. */
const MAX_REFUSAL_BYTES = 64 * 1024

/** @throws Error as `textOf` */
export const refusalIn = (answer: ServerAnswer): Promise<string> => textOf(answer, MAX_REFUSAL_BYTES)

/** Returns the refusal of another server with its code. @throws Error as `textOf` */
export const refusalOf = async (answer: ServerAnswer): Promise<RouteResponse> => {
  const code = answer.headers[CODE_HEADER.toLowerCase()]
  return plain(
    answer.statusCode ?? 0,
    await refusalIn(answer),
    typeof code === 'string' ? [CODE_HEADER, code] : []
  )
}
