// Entries of archives.
import { createHash, type Hash } from 'node:crypto'
import type { Header, Pack } from 'tar-stream'
import type { SignedFile } from '../../../actors/snapshot/log-files.js'
import { META, SIGNATURE_RECORD, STATE, SUMS } from './format.js'

/** Yields the same chunks and adds them to the sum. */
export async function* withChecksum(chunks: AsyncIterable<Buffer>, sum: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    sum.update(chunk)
    yield chunk
  }
}

/** Yields the chunks of a stream or entry that are bytes. */
export async function* bytesOf(chunks: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) if (Buffer.isBuffer(chunk)) yield chunk
}

const MODE = 0o600
const BLOCK = 512
/** The size of the end of a tar. */
const END = 2 * BLOCK

/** Adds a short text. @param pax records of its extended header */
export const textEntry = (
  archive: Pack,
  name: string,
  content: string,
  pax?: Readonly<Record<string, string>>
): Promise<void> =>
  new Promise((resolve, reject) =>
    // An aborted entry also emits an event, which needs a listener.
    archive
      .entry({ name, mode: MODE, ...(pax ? { pax } : {}) }, content, error =>
        error ? reject(error) : resolve()
      )
      .on('error', reject)
  )

/** Adds `SHA256SUMS`, with the note of its signature in its header. */
export const sumsEntry = (
  archive: Pack,
  meta: string,
  stateSum: string,
  signed?: SignedFile
): Promise<void> => {
  const metaSum = createHash('sha256').update(meta).digest('hex')
  const sums = `${metaSum}  ${META}\n${stateSum}  ${STATE}\n`
  return textEntry(archive, SUMS, sums, signed && { [SIGNATURE_RECORD]: signed.sign(sums) })
}

/** Returns the signed note in the extended header of an entry. */
export const signatureIn = ({ pax }: Header): string | undefined => {
  const note: unknown = Reflect.get(Object(pax), SIGNATURE_RECORD)
  return typeof note === 'string' ? note : undefined
}

/** Adds an entry, to which the caller writes the bytes. */
export const fileEntry = (archive: Pack, name: string, size: number): ReturnType<Pack['entry']> =>
  archive.entry({ name, mode: MODE, size })

/** Returns the size of a tar of files whose names fit a plain header. */
export const tarSize = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + BLOCK + Math.ceil(size / BLOCK) * BLOCK, END)
