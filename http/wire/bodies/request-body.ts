import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../../../actors/refusal.js'
import type { Settings } from '../../../server/settings/settings.js'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { encryptedStream, ephemeralKey, readEncrypted } from './encrypted-file.js'

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
  /** Undefined for a fixed number of bytes. */
  readonly setting: BodyLimit | undefined
}

/** @param limit a setting of `limits`, or a number of bytes */
export const bodySizeLimitOf = (
  limits: Settings['limits'],
  limit: BodyLimit | number = 'http_body_bytes'
): BodySizeLimit =>
  typeof limit === 'string' ? { bytes: limits[limit], setting: limit } : { bytes: limit, setting: undefined }

/** Returns true if a request has a body (RFC 9112 §6.3) that is not ignored, as those of reads are. */
export const hasBody = ({ method, headers }: IncomingMessage): boolean => {
  if (method === 'GET' || method === 'HEAD') return false
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return coding !== undefined || (length !== undefined && length !== '0')
}

export const tooLarge = ({ headers }: IncomingMessage, { bytes, setting }: BodySizeLimit): Refusal => {
  const size = headers['content-length']
  const found = size === undefined ? '' : ` of ${size} bytes`
  const name = setting === undefined ? '' : ` (limits.${setting})`
  return new Refusal(
    'body.too-large',
    `Request body${found} is too large: the limit is ${bytes} bytes${name}`
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

const FOLDER = 'uploads'
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

export interface BodyFile {
  /** In bytes. */
  readonly size: number
  /** Returns the bytes from the beginning. Can be called repeatedly. */
  read(): Readable
}

export class BodyAborted extends Error {}

class StoredBody implements BodyFile {
  /** @param removed called after the file is deleted */
  constructor(
    private readonly path: string,
    private readonly key: Uint8Array,
    readonly size: number,
    private readonly removed: () => void
  ) {}

  read(): Readable {
    return readEncrypted(this.path, this.key)
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true })
    this.removed()
  }
}

export class BodyFiles {
  /** Bodies can hold secrets, which must not be recoverable from the disk afterwards. */
  readonly #key = ephemeralKey()
  readonly #folder: string
  #count = 0

  /** @param budget shared by all files */
  constructor(
    dataDir: string,
    private readonly budget: BodyMemoryLimit
  ) {
    this.#folder = join(dataDir, FOLDER)
  }

  async clear(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  /**
   * Writes the body of a request to a file.
   * @throws Refusal `too-large`, or `unavailable` when the file cannot be written or all files together are too large
   * @throws BodyAborted
   */
  async receive(request: IncomingMessage, bound: BodySizeLimit): Promise<StoredBody> {
    if (exceedsContentLength(request, bound)) throw tooLarge(request, bound)
    await mkdir(this.#folder, { recursive: true, mode: FOLDER_MODE })
    // The request emits no further `close` if it closed while the folder was created.
    if (isBrokenOff(request)) throw brokenOff()
    const path = join(this.#folder, String(++this.#count))
    const budget = this.budget
    let size = 0
    let reserved = 0
    const counted = new Transform({
      transform: (piece: Buffer, _encoding, done) => {
        size += piece.length
        if (size > bound.bytes) return done(tooLarge(request, bound))
        if (!budget.reserve(piece.length)) return done(budget.refusal())
        reserved += piece.length
        done(null, piece)
      }
    })
    if (hasBody(request)) request.pipe(counted)
    else counted.end()
    request.once('close', () => {
      if (isBrokenOff(request)) counted.destroy(brokenOff())
    })
    try {
      await pipeline(
        counted,
        (bytes: AsyncIterable<Buffer>) => encryptedStream(bytes, this.#key),
        createWriteStream(path, { flags: 'wx', mode: FILE_MODE })
      )
    } catch (error) {
      await rm(path, { force: true })
      budget.release(reserved)
      // The rest of a rejected body is read and discarded.
      request.resume()
      throw isFileError(error)
        ? new Refusal('body.unavailable', `The body could not be stored: ${error.message}`)
        : error
    }
    return new StoredBody(path, this.#key, size, () => budget.release(reserved))
  }
}

const isBrokenOff = (request: IncomingMessage): boolean => request.destroyed && !request.complete

const brokenOff = (): BodyAborted => new BodyAborted('the connection broke off within the body')

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'path' in error && 'syscall' in error
