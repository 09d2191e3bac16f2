// Encrypts payload segments with AES-256-GCM: a nonce of 12 bytes, the ciphertext, and a tag of 16 bytes.
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import { ProofFailed } from '../../events/log/evidence/proofs.js'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_DIGITS = 8

export interface PayloadCipher {
  /** As the manifest names it. */
  readonly name: string
  /** @param place binds the bytes to their segment */
  encrypt(bytes: Buffer, place: string): Buffer
  /** @throws ProofFailed for bytes of another key or segment */
  decrypt(stored: Buffer, place: string): Buffer
}

export const PLAIN: PayloadCipher = { name: 'plain', encrypt: bytes => bytes, decrypt: stored => stored }

/** @param key 32 bytes */
export const payloadCipher = (key: Buffer): PayloadCipher => ({
  name: `${ALGORITHM} ${hash('sha256', key).slice(0, KEY_ID_DIGITS)}`,
  encrypt: (bytes, place) => {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place))
    return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  },
  decrypt: (stored, place) => {
    try {
      const end = stored.length - TAG_BYTES
      const decipher = createDecipheriv(ALGORITHM, key, stored.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(place))
        .setAuthTag(stored.subarray(end))
      return Buffer.concat([decipher.update(stored.subarray(NONCE_BYTES, end)), decipher.final()])
    } catch (error) {
      throw new ProofFailed(`the payload file with ${place} was encrypted with another key, or was changed`, {
        cause: error
      })
    }
  }
})
