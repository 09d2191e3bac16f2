import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Refusal } from '../../../actors/refusal.js'
import { encryptedStream, ephemeralKey, readEncrypted } from './encrypted-file.js'
import {
  type BodyMemoryLimit,
  exceedsContentLength,
  hasBody,
  tooLarge,
  type BodySizeLimit
} from './request-body.js'

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
