// Bodies that are too large for memory: they go to files of the data folder, and are read from there.
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Refusal } from '../../../actors/refusal.js'
import { encryptedStream, ephemeralKey, readEncrypted } from './encrypted-file.js'
import type { BodyMemoryLimit } from './body-memory-limit.js'
import { exceedsContentLength, hasBody, tooLarge, type BodySizeLimit } from './request-body.js'

const FOLDER = 'uploads'
/** Whatever the server may read, nobody else may. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** A body that has arrived whole. */
export interface BodyFile {
  /** In bytes. */
  readonly size: number
  /** Its bytes from the beginning, as often as it is called. */
  read(): Readable
}

/** The connection ended within a body: there is nobody to be answered. */
export class BodyAborted extends Error {}

/** The file of a body. Whoever received it removes it. */
export class StoredBody implements BodyFile {
  /** @param removed called when the file is gone */
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
  /** A body may hold secrets, and nothing of it is to be found on the disk afterwards. */
  readonly #key = ephemeralKey()
  readonly #folder: string
  #count = 0

  /** @param budget of all files together */
  constructor(
    dataDir: string,
    private readonly budget: BodyMemoryLimit
  ) {
    this.#folder = join(dataDir, FOLDER)
  }

  /** Removes what a process before this one may have left. */
  async clear(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  /**
   * Writes the body of a request to a file.
   * @throws Refusal `too-large`, or `unavailable` when the file cannot be written or all files together are too large
   * @throws BrokenOff
   */
  async receive(request: IncomingMessage, bound: BodySizeLimit): Promise<StoredBody> {
    if (exceedsContentLength(request, bound)) throw tooLarge(request, bound)
    await mkdir(this.#folder, { recursive: true, mode: FOLDER_MODE })
    // Nobody says so again when that was while the folder was made.
    if (isBrokenOff(request)) throw brokenOff()
    const path = join(this.#folder, String(++this.#count))
    const budget = this.budget
    let size = 0
    let kept = 0
    const counted = new Transform({
      transform: (piece: Buffer, _encoding, done) => {
        size += piece.length
        if (size > bound.bytes) return done(tooLarge(request, bound))
        if (!budget.reserve(piece.length)) return done(budget.refusal())
        kept += piece.length
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
      budget.release(kept)
      // What is refused is read to its end.
      request.resume()
      throw isOfFiles(error)
        ? new Refusal('unavailable', `The body could not be stored: ${error.message}`)
        : error
    }
    return new StoredBody(path, this.#key, size, () => budget.release(kept))
  }
}

const isBrokenOff = (request: IncomingMessage): boolean => request.destroyed && !request.complete

const brokenOff = (): BodyAborted => new BodyAborted('the connection broke off within the body')

/** Whether a system call on a file failed, such as for want of room. */
const isOfFiles = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'path' in error && 'syscall' in error
