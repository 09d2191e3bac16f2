// The body of a request: whether there is one, how large it may be, and how it is collected in memory.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../../../actors/refusal.js'
import type { BodyMemoryLimit } from './body-memory-limit.js'
import type { Settings } from '../../../server/settings/settings.js'

/** Settings of `limits` that bound a body, in bytes. */
export type BodyLimit = 'http_body_bytes' | 'txn_max_body_bytes' | 'kv_max_value_size'

/** What limits a body where a route does not say otherwise. */
const GENERAL_BODY_LIMIT: BodyLimit = 'http_body_bytes'

/** The most bytes that a body may have, and the words in which a refusal names their setting. */
export interface BodySizeLimit {
  readonly bytes: number
  readonly setting: string
}

/** @param limit a setting of `limits`, or a number of bytes */
export const bodySizeLimitOf = (
  limits: Settings['limits'],
  limit: BodyLimit | number = GENERAL_BODY_LIMIT
): BodySizeLimit =>
  typeof limit === 'string'
    ? { bytes: limits[limit], setting: ` (limits.${limit})` }
    : { bytes: limit, setting: '' }

/** Whether a request announces a body (RFC 9112 §6.3) that means anything: those of reads do not, and are thrown away. */
export const hasBody = ({ method, headers }: IncomingMessage): boolean => {
  if (method === 'GET' || method === 'HEAD') return false
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return coding !== undefined || (length !== undefined && length !== '0')
}

/** The refusal of a body over the bound. */
export const tooLarge = ({ headers }: IncomingMessage, { bytes, setting }: BodySizeLimit): Refusal => {
  const size = headers['content-length']
  const found = size === undefined ? '' : ` of ${size} bytes`
  return new Refusal('too-large', `Request body${found} is too large: the limit is ${bytes} bytes${setting}`)
}

/** Whether the announced length of a body is over the bound. */
export const exceedsContentLength = ({ headers }: IncomingMessage, { bytes }: BodySizeLimit): boolean =>
  Number(headers['content-length']) > bytes

/** Tells a client that waits with the body of its request for the server's word to send it (RFC 9110 §10.1.1). */
export const sendContinue = ({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void => {
  if (httpVersion === '1.1' && /100-continue/i.test(headers.expect ?? '')) response.writeContinue()
}

/** What becomes of a body. Neither is called when the connection breaks off before the body's end. */
interface BodyTaker {
  /** @param held gives what the body takes of the budget back; to be called when the body is not needed any more */
  readonly take: (body: Buffer, held: () => void) => void
  readonly refuse: (refusal: Refusal) => void
}

/** Collects the body of a request in memory. What is refused is not kept, but read to its end. */
export const collectBody = (
  request: IncomingMessage,
  bound: BodySizeLimit,
  budget: BodyMemoryLimit,
  { take, refuse }: BodyTaker
): void => {
  const pieces: Buffer[] = []
  let size = 0
  const release = (): void => {
    budget.release(size)
    pieces.length = 0
    size = 0
  }
  const drop = (refusal: Refusal): void => {
    request.off('data', keep).off('end', end).off('close', release).resume()
    release()
    refuse(refusal)
  }
  const keep = (piece: Buffer): void => {
    if (size + piece.length > bound.bytes) return drop(tooLarge(request, bound))
    if (!budget.reserve(piece.length)) return drop(budget.refusal())
    size += piece.length
    pieces.push(piece)
  }
  const end = (): void => {
    request.off('close', release)
    const [first] = pieces
    take(first && pieces.length === 1 ? first : Buffer.concat(pieces), release)
  }
  request.on('data', keep).on('end', end).on('close', release)
}
