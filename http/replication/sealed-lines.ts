// Lines that only who has the key can read, none of which can be left out, moved, or sent again.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** What a line is sealed to: the conversation that it is of, and its place there. */
const placeOf = (nonce: string, line: number): Buffer => Buffer.from(`annals replication/${nonce}/${line}`)

/** A line could not be opened: it was sealed with another key, or is not the one that comes next. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

/** A new random text that names one conversation. */
export const newNonce = (): string => randomBytes(16).toString('hex')

/**
 * Seals the lines of a conversation, in their order.
 * @param key 32 bytes
 * @param nonce of who reads them, which no other conversation has
 */
export const sealing = (key: Buffer, nonce: string): ((text: string) => string) => {
  let line = 0
  return text => {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(CIPHER, key, iv).setAAD(placeOf(nonce, line++))
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return sealed.toString('base64')
  }
}

/** Opens what `sealing` has sealed for the same nonce. The result throws SealBroken. */
export const opening = (key: Buffer, nonce: string): ((sealed: string) => string) => {
  let line = 0
  return text => {
    const bytes = Buffer.from(text, 'base64')
    if (bytes.length < IV_BYTES + TAG_BYTES) throw new SealBroken('a line is too short to be sealed')
    const end = bytes.length - TAG_BYTES
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
    decipher.setAAD(placeOf(nonce, line++)).setAuthTag(bytes.subarray(end))
    const opened = decipher.update(bytes.subarray(IV_BYTES, end))
    try {
      return Buffer.concat([opened, decipher.final()]).toString('utf8')
    } catch (error) {
      throw new SealBroken('a line was sealed with another key, or is not the one that comes next', {
        cause: error
      })
    }
  }
}
