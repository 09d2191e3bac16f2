// The secrets of events: parts of a record that only projections may read, encrypted at rest when a key is configured.
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  randomBytes,
  randomInt,
  type KeyObject
} from 'node:crypto'
import { LogUnusable } from './log.js'

const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const NUMBER_BYTES = 4
const TAG_AT = NUMBER_BYTES + IV_BYTES
const SEALED_AT = TAG_AT + TAG_BYTES
/** The number that stands for no key. */
const NO_KEY = 0

/** Names a secret in its log: another commit's, or another event's, is not taken for it. */
export interface SecretLocation {
  readonly index: number
  /** Number of the part in its record. */
  readonly part: number
}

/** Data keys, which encrypt secrets, by their numbers, the newest last. They are random, and are kept wrapped by the configured key. */
type DataKeys = ReadonlyMap<number, Buffer>

/** Encodes an event's secrets: data key number (4 bytes, 0 for none), then JSON, or IV, tag and JSON under AES-256-GCM. */
export class SecretsVault {
  readonly #newest: number
  readonly #keys: ReadonlyMap<number, KeyObject>
  /** Whether secrets are to be read; without that no key is needed, and commits come without them. */
  readonly opens: boolean

  constructor(keys: DataKeys = new Map(), { opens = true }: { readonly opens?: boolean } = {}) {
    this.opens = opens
    this.#keys = new Map([...keys].map(([number, key]) => [number, createSecretKey(key)]))
    this.#newest = [...keys.keys()].at(-1) ?? NO_KEY
  }

  /** Bytes as a snapshot stores them, which are not taken for those of another block, or for a secret. */
  sealBlock(bytes: Buffer, place: SecretLocation): Buffer {
    return this.#seal(bytes, blockAad(place))
  }

  /** @throws LogUnusable as `open` does */
  openBlock(stored: Buffer, place: SecretLocation): Buffer {
    return this.#open(stored, blockAad(place))
  }

  /** The key that signs checkpoints, as it is stored. */
  sealSigningKey(key: Buffer): Buffer {
    return this.#seal(key, SIGNING_AAD)
  }

  /** @throws LogUnusable as `open` does */
  openSigningKey(stored: Buffer): Buffer {
    return this.#open(stored, SIGNING_AAD)
  }

  /** Detects bytes that were stored without a key although a key is configured now. */
  isBare(stored: Buffer): boolean {
    return stored.readUInt32BE(0) === NO_KEY && this.#newest !== NO_KEY
  }

  #seal(bytes: Buffer, aad: Buffer): Buffer {
    const key = this.#keys.get(this.#newest)
    if (key === undefined) return Buffer.concat([Buffer.alloc(NUMBER_BYTES), bytes])
    return encrypt(key, this.#newest, bytes, aad)
  }

  #open(stored: Buffer, aad: Buffer): Buffer {
    const number = stored.readUInt32BE(0)
    if (number === NO_KEY) return stored.subarray(NUMBER_BYTES)
    const key = this.#keys.get(number)
    if (key === undefined)
      throw new LogUnusable(`it is encrypted with data key ${number}, which is not there`)
    return decrypt(key, stored, aad)
  }

  /** The secrets as they are stored. */
  seal(json: string, place: SecretLocation): Buffer {
    const key = this.#keys.get(this.#newest)
    if (key !== undefined) return encrypt(key, this.#newest, Buffer.from(json), aadOf(place))
    const plain = Buffer.allocUnsafe(NUMBER_BYTES + Buffer.byteLength(json))
    plain.writeUInt32BE(NO_KEY, 0)
    plain.write(json, NUMBER_BYTES)
    return plain
  }

  /** Returns the JSON of stored secrets. @throws LogUnusable if the key is missing or they belong to another place */
  open(stored: Buffer, place: SecretLocation): string {
    const number = stored.readUInt32BE(0)
    if (number === NO_KEY) return stored.toString('utf8', NUMBER_BYTES)
    const key = this.#keys.get(number)
    if (key === undefined)
      throw new LogUnusable(
        `the secrets of commit ${place.index} are encrypted with data key ${number}, which is not there`
      )
    try {
      return decrypt(key, stored, aadOf(place)).toString()
    } catch (error) {
      throw new LogUnusable(`the secrets of commit ${place.index} cannot be decrypted`, { cause: error })
    }
  }
}

/** Data keys under the configured key, for the file `keys`. */
export const wrapKey = (key: Buffer, number: number, dataKey: Buffer): Buffer =>
  encrypt(checked(key), number, dataKey, Buffer.from('annals data key'))

/** @throws LogUnusable if it was wrapped with another key or is damaged */
export function unwrapKey(key: Buffer, wrapped: Buffer): Buffer {
  try {
    return decrypt(checked(key), wrapped, Buffer.from('annals data key'))
  } catch (error) {
    if (error instanceof LogUnusable) throw error
    throw new LogUnusable('the configured key is not the one that this log was written with', {
      cause: error
    })
  }
}

/** A random key. Its number is random as well, so that it is never taken for one that was lost. */
export const newDataKey = (): { readonly number: number; readonly dataKey: Buffer } => ({
  number: randomInt(1, 2 ** 32),
  dataKey: randomBytes(KEY_BYTES)
})

function checked(key: Buffer): KeyObject {
  if (key.length === KEY_BYTES) return createSecretKey(key)
  throw new LogUnusable(`the key of the log must be ${KEY_BYTES} bytes long, this one has ${key.length}`)
}

function encrypt(key: KeyObject, number: number, plain: Buffer, aad: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(aad)
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  const prefix = Buffer.alloc(NUMBER_BYTES)
  prefix.writeUInt32BE(number, 0)
  return Buffer.concat([prefix, iv, cipher.getAuthTag(), sealed])
}

function decrypt(key: KeyObject, stored: Buffer, aad: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, stored.subarray(NUMBER_BYTES, TAG_AT), {
    authTagLength: TAG_BYTES
  })
  decipher.setAAD(aad).setAuthTag(stored.subarray(TAG_AT, SEALED_AT))
  return Buffer.concat([decipher.update(stored.subarray(SEALED_AT)), decipher.final()])
}

const SIGNING_AAD = Buffer.from('annals signing key')

const blockAad = (place: SecretLocation): Buffer =>
  Buffer.concat([Buffer.from('annals snapshot'), aadOf(place)])

function aadOf({ index, part }: SecretLocation): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeBigUInt64BE(BigInt(index))
  bytes.writeUInt32BE(part, 8)
  return bytes
}
