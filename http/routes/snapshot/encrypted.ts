// Archives encrypted by age (age-encryption.org/v1): whoever has an archive needs a key as well.
import { PassThrough, Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter, Encrypter } from 'age-encryption'
import { invalid } from '../../../actors/refusal.js'

/** Where the secret key of an archive is given. */
export const IDENTITY_HEADER = 'x-service-snapshot-identity'

/** @throws Refusal `invalid` when one of the recipients is none */
const encrypterFor = (recipients: readonly string[]): Encrypter => {
  const encrypter = new Encrypter()
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient)
    } catch {
      throw invalid(`Invalid recipient ${JSON.stringify(recipient)}: it must be a public key of age, age1…`)
    }
  return encrypter
}

/** Writes to somewhere. */
export type Write = (out: Writable) => Promise<void>

/**
 * What writes the same, encrypted for recipients; for none, as it is.
 * @throws Refusal `invalid` when one of the recipients is none
 */
export const encryptedFor = (recipients: readonly string[], write: Write): Write => {
  if (recipients.length === 0) return write
  const encrypter = encrypterFor(recipients)
  return async out => {
    const plain = new PassThrough()
    const encrypted = await encrypter.encrypt(Readable.toWeb(plain))
    await Promise.all([
      pipeline(Readable.fromWeb(encrypted), out),
      write(plain).catch((error: unknown) => {
        plain.destroy()
        throw error
      })
    ])
  }
}

/**
 * What an archive holds that was encrypted.
 * @param identity a secret key of age; undefined for an archive as it is
 * @throws Refusal `invalid` when it is none; so does reading, when the archive was not encrypted for it, or was changed
 */
export const decrypted = (bytes: Readable, identity: string | undefined): Readable => {
  if (identity === undefined) return bytes
  const decrypter = new Decrypter()
  try {
    decrypter.addIdentity(identity)
  } catch {
    throw invalid('Invalid X-Service-Snapshot-Identity: it must be a secret key of age, AGE-SECRET-KEY-1…')
  }
  return Readable.from(opened(decrypter, bytes), { objectMode: false })
}

async function* opened(decrypter: Decrypter, bytes: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* Readable.fromWeb(await decrypter.decrypt(Readable.toWeb(bytes)))
  } catch {
    throw invalid('The snapshot cannot be decrypted with X-Service-Snapshot-Identity, or was changed')
  } finally {
    bytes.destroy()
  }
}
