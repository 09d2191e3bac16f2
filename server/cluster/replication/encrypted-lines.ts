// Encrypts lines so that none can be read without the key, omitted, reordered or replayed.
import { randomBytes } from 'node:crypto'
import { decryptText, encryptText } from '../../../http/wire/text-encryption.js'

/** Binds a line to its connection and its position. */
const placeOf = (nonce: string, line: number): string => `annals replication/${nonce}/${line}`

/** A line was encrypted with another key, or is not the next one. */
export class LineDecryptionFailed extends Error {
  override readonly name = 'SealBroken'
}

/** Returns a random text that identifies one connection. */
export const newNonce = (): string => randomBytes(16).toString('hex')

/** Returns a function that encrypts the lines of a connection in order. @param key 32 bytes @param nonce unique value that the reader has chosen */
export const lineEncryption = (key: Buffer, nonce: string): ((text: string) => string) => {
  let line = 0
  return text => encryptText(key, text, placeOf(nonce, line++))
}

/** Decrypts what `lineEncryption` has encrypted for the same nonce. The result throws LineDecryptionFailed. */
export const lineDecryption = (key: Buffer, nonce: string): ((line: string) => string) => {
  let line = 0
  return text => {
    const plain = decryptText(key, text, placeOf(nonce, line++))
    if (plain === undefined)
      throw new LineDecryptionFailed(
        'a line was encrypted with another key, or is not the one that comes next'
      )
    return plain
  }
}
