// Encrypted files for data that may hold secrets, such as uploads: AES-256-CTR with a random IV at the start. The content is not
// authenticated.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'

const CIPHER = 'aes-256-ctr'
const IV_BYTES = 16
const KEY_BYTES = 32

/** Creates a key for files that are unreadable after the process has ended. */
export const ephemeralKey = (): Uint8Array => randomBytes(KEY_BYTES)

/** Derives the key for one kind of file from the configured key (base64). Returns undefined, for plain files, if none is configured. */
export const fileKey = (configured: string | undefined, kind: string): Uint8Array | undefined =>
  configured === undefined
    ? undefined
    : new Uint8Array(hkdfSync('sha256', Buffer.from(configured, 'base64'), '', `annals ${kind}`, KEY_BYTES))

/** Yields the bytes of the encrypted file, or the input if there is no key. */
export async function* encryptedStream(
  bytes: AsyncIterable<Buffer>,
  key: Uint8Array | undefined
): AsyncGenerator<Buffer> {
  if (!key) {
    yield* bytes
    return
  }
  const iv = randomBytes(IV_BYTES)
  yield iv
  const cipher = createCipheriv(CIPHER, key, iv)
  for await (const chunk of bytes) yield cipher.update(chunk)
}

/** Reads a file of `encryptedStream`. The stream fails with file system errors. */
export function readEncrypted(path: string, key: Uint8Array | undefined): Readable {
  return key ? Readable.from(deciphered(path, key), { objectMode: false }) : createReadStream(path)
}

async function* deciphered(path: string, key: Uint8Array): AsyncGenerator<Buffer> {
  const file: AsyncIterable<Buffer> = createReadStream(path)
  let decipher: ReturnType<typeof createDecipheriv> | undefined
  let iv = Buffer.alloc(0)
  for await (const chunk of file) {
    let content = chunk
    if (!decipher) {
      const missing = IV_BYTES - iv.length
      iv = Buffer.concat([iv, chunk.subarray(0, missing)])
      content = chunk.subarray(missing)
      if (iv.length === IV_BYTES) decipher = createDecipheriv(CIPHER, key, iv)
    }
    if (decipher && content.length > 0) yield decipher.update(content)
  }
}
