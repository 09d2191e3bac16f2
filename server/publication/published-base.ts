// The base snapshot of a pruned log among the published payloads: pieces, and a list that names them.
import type { PayloadCipher } from './payload-cipher.js'
import {
  encodePage,
  payloadFile,
  payloadPath,
  piecePlace,
  readPayloadFile,
  readPieces,
  type PayloadFile
} from './payload-manifest.js'
import type { PublicFiles } from './public-files.js'
import type { PublicationTarget } from './published-folder.js'

/** A base snapshot without secrets. */
export interface PublicBase {
  /** The newest commit in it. */
  readonly index: number
  readonly bytes: AsyncIterable<Uint8Array>
}

const PIECE_BYTES = 1024 * 1024

async function* piecesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pending: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    pending.push(chunk)
    length += chunk.length
    if (length < PIECE_BYTES) continue
    yield Buffer.concat(pending)
    pending = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(pending)
}

/** Adds the files of a base snapshot, which no manifest names yet. @returns the list of its pieces */
export const putBase = async (
  target: PublicationTarget,
  cipher: PayloadCipher,
  { index, bytes }: PublicBase
): Promise<PayloadFile> => {
  const pieces: PayloadFile[] = []
  for await (const piece of piecesOf(bytes)) {
    const last = pieces.length + 1
    const stored = cipher.encrypt(piece, piecePlace({ last: index }, { last }))
    const file = payloadFile(stored, last, 1)
    await target.put(payloadPath(file), stored)
    pieces.push(file)
  }
  const list = encodePage(pieces, 'piece')
  const base = payloadFile(list, index, pieces.length)
  await target.put(payloadPath(base), list)
  return base
}

/** Yields the bytes of a published base snapshot. @throws ProofFailed naming the first changed file; SourceUnavailable */
export async function* baseIn(
  files: PublicFiles,
  cipher: PayloadCipher,
  base: PayloadFile
): AsyncGenerator<Buffer> {
  for (const piece of await readPieces(files, base)) {
    const place = piecePlace(base, piece)
    yield cipher.decrypt(await readPayloadFile(files, piece, place), place)
  }
}
