import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../../../actors/refusal.js'
import type { Settings } from '../../../server/settings/settings.js'

type TotalLimit = 'http_body_bytes_total' | 'http_upload_bytes_total'

interface TotalLimits {
  readonly current: { readonly limits: Readonly<Record<TotalLimit, number>> }
}

/** Counts the bytes of all request bodies that are in memory or on disk, and limits their total. */
export class BodyMemoryLimit {
  #reserved = 0

  /** @param setting the limit in bytes, read at each reservation */
  constructor(
    private readonly live: TotalLimits,
    private readonly setting: TotalLimit
  ) {}

  get reserved(): number {
    return this.#reserved
  }

  /** Reserves bytes. Returns false, without reserving, if they would exceed the limit. */
  reserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.live.current.limits[this.setting]) return false
    this.#reserved += bytes
    return true
  }

  release(bytes: number): void {
    this.#reserved -= bytes
  }

  refusal(): Refusal {
    return new Refusal(
      'body.unavailable',
      `The bodies of all requests together are too large just now: the limit is ${this.live.current.limits[this.setting]} bytes (limits.${this.setting}). Try again later`
    )
  }
}

export type BodyLimit = 'http_body_bytes' | 'txn_max_body_bytes' | 'kv_max_value_size'

export interface BodySizeLimit {
  readonly bytes: number
  readonly setting: string
}

/** @param limit a setting of `limits`, or a number of bytes */
export const bodySizeLimitOf = (
  limits: Settings['limits'],
  limit: BodyLimit | number = 'http_body_bytes'
): BodySizeLimit =>
  typeof limit === 'string'
    ? { bytes: limits[limit], setting: ` (limits.${limit})` }
    : { bytes: limit, setting: '' }

/** Returns true if a request has a body (RFC 9112 §6.3) that is not ignored, as those of reads are. */
export const hasBody = ({ method, headers }: IncomingMessage): boolean => {
  if (method === 'GET' || method === 'HEAD') return false
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return coding !== undefined || (length !== undefined && length !== '0')
}

export const tooLarge = ({ headers }: IncomingMessage, { bytes, setting }: BodySizeLimit): Refusal => {
  const size = headers['content-length']
  const found = size === undefined ? '' : ` of ${size} bytes`
  return new Refusal(
    'body.too-large',
    `Request body${found} is too large: the limit is ${bytes} bytes${setting}`
  )
}

export const exceedsContentLength = ({ headers }: IncomingMessage, { bytes }: BodySizeLimit): boolean =>
  Number(headers['content-length']) > bytes

/** Sends 100 Continue to a client that waits for it (RFC 9110 §10.1.1). */
export const sendContinue = ({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void => {
  if (httpVersion === '1.1' && /100-continue/i.test(headers.expect ?? '')) response.writeContinue()
}

/** A request whose body arrives. */
interface BodyRecipient {
  readonly message: IncomingMessage
  /** @param release returns the bytes to the budget; call it when the body is no longer needed */
  receive(body: Buffer, release: () => void): void
}

/** Called once, when a body is received, or with the reason why it is not; never if the connection ends within the body. */
export type BodySettled = (refusal?: Refusal) => void

const EMPTY = Buffer.alloc(0)

/** Collects a body in memory. The rest of a rejected body is read and discarded. */
export const collectBody = (
  request: BodyRecipient,
  bound: BodySizeLimit,
  budget: BodyMemoryLimit,
  settled: BodySettled
): void => {
  const { message } = request
  let first: Buffer | undefined
  let pieces: Buffer[] | undefined
  let size = 0
  const release = (): void => {
    budget.release(size)
    first = pieces = undefined
    size = 0
  }
  const drop = (refusal: Refusal): void => {
    message.off('data', keep).off('end', end).off('close', release).resume()
    release()
    settled(refusal)
  }
  const keep = (piece: Buffer): void => {
    if (size + piece.length > bound.bytes) return drop(tooLarge(message, bound))
    if (!budget.reserve(piece.length)) return drop(budget.refusal())
    size += piece.length
    if (pieces) pieces.push(piece)
    else if (first) pieces = [first, piece]
    else first = piece
  }
  const end = (): void => {
    message.off('close', release)
    request.receive(pieces ? Buffer.concat(pieces) : (first ?? EMPTY), release)
    settled()
  }
  message.on('data', keep).on('end', end).on('close', release)
}
