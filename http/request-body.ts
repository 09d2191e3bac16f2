// The body of a request, collected as bytes.
import type { IncomingMessage } from 'node:http'

/** Whether a request announces a body (RFC 9112 §6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean => {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return coding !== undefined || (length !== undefined && length !== '0')
}

/**
 * Collects the body of a request. Calls one of the two functions once, `refuse` when the body is too large; none when the connection breaks off before the body's
 * end. What is over the limit is not kept, but read to its end.
 * @param limit bytes that the body may have
 * @param take gets undefined for a request without a body
 */
export const collectBody = (
  request: IncomingMessage,
  limit: number,
  take: (body: Buffer | undefined) => void,
  refuse: () => void
): void => {
  if (!hasBody(request)) take(undefined)
  else if (Number(request.headers['content-length']) > limit) refuse()
  else {
    const pieces: Buffer[] = []
    let size = 0
    const keep = (piece: Buffer): void => {
      size += piece.length
      if (size <= limit) {
        pieces.push(piece)
        return
      }
      request.off('data', keep).off('end', end).resume()
      pieces.length = 0
      refuse()
    }
    const end = (): void => {
      const [first] = pieces
      take(first && pieces.length === 1 ? first : Buffer.concat(pieces))
    }
    request.on('data', keep).on('end', end)
  }
}
