// Lines that only who has the key can read, none of which can be left out, moved, or sent again.
import { randomBytes } from 'node:crypto'
import { decryptText, encryptText } from '../../../http/wire/text-encryption.js'

/** What a line is sealed to: the conversation that it is of, and its place there. */
const placeOf = (nonce: string, line: number): string => `annals replication/${nonce}/${line}`

/** A line could not be opened: it was sealed with another key, or is not the one that comes next. */
export class LineDecryptionFailed extends Error {
  override readonly name = 'SealBroken'
}

/** A new random text that names one conversation. */
export const newNonce = (): string => randomBytes(16).toString('hex')

/**
 * Seals the lines of a conversation, in their order.
 * @param key 32 bytes
 * @param nonce of who reads them, which no other conversation has
 */
export const lineEncryption = (key: Buffer, nonce: string): ((text: string) => string) => {
  let line = 0
  return text => encryptText(key, text, placeOf(nonce, line++))
}

/** Opens what `sealing` has sealed for the same nonce. The result throws SealBroken. */
export const lineDecryption = (key: Buffer, nonce: string): ((line: string) => string) => {
  let line = 0
  return text => {
    const plain = decryptText(key, text, placeOf(nonce, line++))
    if (plain === undefined)
      throw new LineDecryptionFailed('a line was sealed with another key, or is not the one that comes next')
    return plain
  }
}
