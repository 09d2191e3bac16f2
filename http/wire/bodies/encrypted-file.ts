// Files besides the log that may hold secrets, such as an archive on its way in: AES-256-CTR, with a random IV at the start. What is
// read is not proved by that; who keeps a digest compares it.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'

const CIPHER = 'aes-256-ctr'
const IV_BYTES = 16
const KEY_BYTES = 32

/** A key for files that nobody reads after the process has ended. */
export const ephemeralKey = (): Uint8Array => randomBytes(KEY_BYTES)

/** A key for one kind of file, from the configured one (base64); undefined, for files as they are, when none is configured. */
export const fileKey = (configured: string | undefined, kind: string): Uint8Array | undefined =>
  configured === undefined
    ? undefined
    : new Uint8Array(hkdfSync('sha256', Buffer.from(configured, 'base64'), '', `annals ${kind}`, KEY_BYTES))

/** The bytes as the file is to have them. */
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

/** The bytes that were ciphered into a file. It fails with what the file system reports. */
export function readEncrypted(path: string, key: Uint8Array | undefined): Readable {
  return key ? Readable.from(deciphered(path, key), { objectMode: false }) : createReadStream(path)
}

async function* deciphered(path: string, key: Uint8Array): AsyncGenerator<Buffer> {
  const file: AsyncIterable<Buffer> = createReadStream(path)
  let decipher: ReturnType<typeof createDecipheriv> | undefined
  let iv = Buffer.alloc(0)
  for await (const chunk of file) {
    let rest = chunk
    if (!decipher) {
      const missing = IV_BYTES - iv.length
      iv = Buffer.concat([iv, chunk.subarray(0, missing)])
      rest = chunk.subarray(missing)
      if (iv.length === IV_BYTES) decipher = createDecipheriv(CIPHER, key, iv)
    }
    if (decipher && rest.length > 0) yield decipher.update(rest)
  }
}
