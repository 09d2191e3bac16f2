// Encryption of archives by age: for recipients when they are saved, with an identity when they are restored.
import { Decrypter, Encrypter } from 'age-encryption'
import { PassThrough, Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invalidWith } from '../../../actors/refusal.js'

const invalidEncryption = invalidWith('snapshot.invalid')

/** @throws Refusal `invalid` for a malformed recipient */
const encrypterFor = (recipients: readonly string[]): Encrypter => {
  const encrypter = new Encrypter()
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient)
    } catch {
      throw invalidEncryption(
        `Invalid recipient ${JSON.stringify(recipient)}: it must be a public key of age, age1…`
      )
    }
  return encrypter
}

type Write = (out: Writable) => Promise<void>

/**
 * Returns a function that writes the same content encrypted for recipients; `write` itself without recipients.
 * @throws Refusal `invalid` for a malformed recipient
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
 * Returns the decrypted bytes of an archive. Reading them throws a Refusal `invalid` if the archive was modified or not encrypted for the
 * identity.
 * @param identity a secret key of age; undefined for an unencrypted archive
 * @throws Refusal `invalid` for a malformed identity
 */
export const decrypted = (bytes: Readable, identity: string | undefined): Readable => {
  if (identity === undefined) return bytes
  const decrypter = new Decrypter()
  try {
    decrypter.addIdentity(identity)
  } catch {
    throw invalidEncryption(
      'Invalid X-Service-Snapshot-Identity: it must be a secret key of age, AGE-SECRET-KEY-1…'
    )
  }
  return Readable.from(opened(decrypter, bytes), { objectMode: false })
}

async function* opened(decrypter: Decrypter, bytes: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* Readable.fromWeb(await decrypter.decrypt(Readable.toWeb(bytes)))
  } catch {
    throw invalidEncryption(
      'The snapshot cannot be decrypted with X-Service-Snapshot-Identity, or was changed'
    )
  } finally {
    bytes.destroy()
  }
}
