// What servers of different datacenters tell each other and nobody else may read: sealed by the key that they share.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals a text (AES-256-GCM), as base64url of IV, tag and content.
 * @param key 32 bytes (`replication.key`)
 * @param place what the text is and where it belongs: sealed there it opens nowhere else
 */
export const encryptText = (key: Uint8Array, text: string, place: string): string => {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(place))
  const content = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), content]).toString('base64url')
}

/** The text that was sealed; undefined when it was sealed by another key, for another place, or was changed. */
export const decryptText = (key: Uint8Array, text: string, place: string): string | undefined => {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    const content = bytes.subarray(IV_BYTES + TAG_BYTES)
    return Buffer.concat([decipher.update(content), decipher.final()]).toString()
  } catch {
    return undefined
  }
}
