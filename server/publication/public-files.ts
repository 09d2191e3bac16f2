// The public files of a log, as C2SP tlog-tiles lays them out: those of a server, of a folder, or of a web server with such a folder.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { BodyTooLarge, readBody } from '../../actors/outgoing/read-body.js'
import { isMissingFile, messageOf } from '../../events/errors.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import { HASH_BYTES, TILE_WIDTH, tilePath } from '../../events/log/tree/tiles.js'
import type { HashRows } from '../../events/log/tree/tree.js'

/** The source cannot be reached now, or lacks a file that it should have. */
export class SourceUnavailable extends Error {
  override readonly name = 'Unreachable'
}

export interface PublicFiles {
  /** For messages. */
  readonly place: string
  /**
   * Returns a file, or undefined if it does not exist.
   * @param path such as `checkpoint` and `tile/0/000`
   * @throws SourceUnavailable; ProofFailed for a file of more than `maxBytes`
   */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>
}

const tooLarge = (path: string, maxBytes: number): ProofFailed =>
  new ProofFailed(`${path} has more than ${maxBytes} bytes`)

/** Returns a file of a folder. @throws as `PublicFiles.read` */
const readFrom = async (folder: string, path: string, maxBytes: number): Promise<Buffer | undefined> => {
  try {
    const file = await open(join(folder, path))
    try {
      const { size } = await file.stat()
      if (size <= maxBytes) return await file.readFile()
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isMissingFile(error)) return undefined
    throw new SourceUnavailable(`${join(folder, path)} cannot be read: ${messageOf(error)}`, { cause: error })
  }
  throw tooLarge(path, maxBytes)
}

export const folderFiles = (folder: string): PublicFiles => ({
  place: folder,
  read: (path, maxBytes) => readFrom(folder, path, maxBytes)
})

/** A response with a status of the client's errors, which no repetition changes. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  'status' in error &&
  Number(error.status) >= 400 &&
  Number(error.status) < 500 &&
  error.status !== 429

interface Answer {
  readonly body: AsyncIterable<Uint8Array> | null
}

/**
 * Reads the answer of a source.
 * @param get undefined for what does not exist
 * @throws SourceUnavailable if it cannot be read now; ProofFailed for more than `maxBytes`; the error of a request that was refused
 */
export const readAnswer = async (
  { place, path, maxBytes }: { readonly place: string; readonly path: string; readonly maxBytes: number },
  get: () => Promise<Answer | undefined>
): Promise<Buffer | undefined> => {
  try {
    const answer = await get()
    return answer && (await readBody(answer.body ?? (async function* () {})(), maxBytes))
  } catch (error) {
    if (error instanceof BodyTooLarge) throw tooLarge(path, maxBytes)
    if (isRefusal(error)) throw error
    throw new SourceUnavailable(`${place}/${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** Opens an answer of any length. Reading it has the same errors. @throws SourceUnavailable if it cannot be read now; the error of a request that was refused */
export const streamFrom = async (
  place: string,
  get: () => Promise<Answer & { readonly headers: Headers }>
): Promise<{ readonly headers: Headers; readonly body: AsyncIterable<Uint8Array> }> => {
  const unavailable = (error: unknown): Error =>
    isRefusal(error) && error instanceof Error
      ? error
      : new SourceUnavailable(`${place} cannot be read: ${messageOf(error)}`, { cause: error })
  const answer = await get().catch((error: unknown) => {
    throw unavailable(error)
  })
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* answer.body ?? []
    } catch (error) {
      throw unavailable(error)
    }
  }
  return { headers: answer.headers, body: chunks() }
}

/** Sends a GET. Returns undefined for 404. @param path below the base of the files. @throws Error for another failure */
type Get = (path: string) => Promise<Answer | undefined>

export const httpFiles = (place: string, get: Get): PublicFiles => ({
  place,
  read: (path, maxBytes) => readAnswer({ place, path, maxBytes }, () => get(path))
})

/** Returns a file that must exist. @throws as `PublicFiles.read`; SourceUnavailable if it is missing */
export const requiredFile = async (files: PublicFiles, path: string, maxBytes: number): Promise<Buffer> => {
  const bytes = await files.read(path, maxBytes)
  if (bytes) return bytes
  throw new SourceUnavailable(`${files.place} has no file ${path}`)
}

/** The path of the hashes of a tree, or of its entries. */
export const publicPath = (level: number | 'entries', number: number, width: number): string =>
  level === 'entries'
    ? `tile/entries/${tilePath({ level: 0, number, width }).replace('0/', '')}`
    : `tile/${tilePath({ level, number, width })}`

/** The hashes of a tree in its tiles. They are not verified. */
export const tilesIn = (files: PublicFiles): HashRows => ({
  row: async (level, from, count) => {
    if (count === 0) return Buffer.alloc(0)
    const number = Math.floor(from / TILE_WIDTH)
    const [partial, full] = [publicPath(level, number, count), publicPath(level, number, TILE_WIDTH)]
    // A partial tile may be deleted when the full one is there.
    const bytes =
      (await files.read(partial, TILE_WIDTH * HASH_BYTES)) ??
      (await requiredFile(files, full, TILE_WIDTH * HASH_BYTES))
    return bytes.subarray(0, count * HASH_BYTES)
  }
})
