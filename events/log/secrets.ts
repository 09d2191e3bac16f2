// The secrets of a commit's events, kept in a record of their own: readable for projections, proved by the chain, and
// encrypted at rest when a key is configured.
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import { bufferOf, type SecretsByOrdinal } from '../codec.js'
import type { Commit, Event } from '../envelope.js'
import { LogUnusable } from './log.js'
import { fillRandom } from './salt.js'

const PLAIN = 0
const SEALED = 1
const SALT_BYTES = 16
const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const MARKER = Buffer.from('annals secrets')

/** A secrets record and the digest by which the commit's own record proves it. */
export interface SealedSecrets {
  readonly record: Buffer
  /** Base64 of SHA-256 over salt and secrets. Without the salt it tells nothing about them. */
  readonly digest: string
}

/**
 * Writes and reads secrets records: a kind byte, then either salt and JSON in the clear, or IV, tag and both under
 * AES-256-GCM with the commit's index as additional data. The JSON maps the ordinal of an event in its commit to its secrets.
 */
export class SecretsVault {
  readonly #key: Buffer | undefined

  /** @throws LogUnusable when the key is not 32 bytes long */
  constructor(key?: Buffer) {
    if (key !== undefined && key.length !== KEY_BYTES)
      throw new LogUnusable(`the key of the log must be ${KEY_BYTES} bytes long, this one has ${key.length}`)
    this.#key = key
  }

  /** True when secrets are encrypted at rest. */
  get sealing(): boolean {
    return this.#key !== undefined
  }

  /** The secrets of a commit, ready to be stored; undefined when its events have none. */
  seal(commit: Commit): SealedSecrets | undefined {
    const json = secretsText(commit.Events)
    if (json === undefined) return undefined
    const plain = Buffer.allocUnsafe(1 + SALT_BYTES + Buffer.byteLength(json))
    plain[0] = PLAIN
    fillRandom(plain, 1, SALT_BYTES)
    plain.write(json, 1 + SALT_BYTES)
    const salted = plain.subarray(1)
    return {
      record: this.#key === undefined ? plain : this.#encrypt(this.#key, salted, commit.Index),
      digest: hash('sha256', salted, 'base64')
    }
  }

  /**
   * The secrets of the commit with this index.
   * @throws LogUnusable when the record is missing, damaged, not the one the digest proves, or sealed with another key
   */
  open(index: number, digest: string, record: Uint8Array | undefined): SecretsByOrdinal {
    if (record === undefined) throw new LogUnusable(`the secrets of commit ${index} are missing`)
    const salted = this.#unwrap(record, index)
    if (hash('sha256', salted, 'base64') !== digest)
      throw new LogUnusable(`the secrets of commit ${index} are not those it was written with`)
    return JSON.parse(salted.toString('utf8', SALT_BYTES))
  }

  /** What is kept beside the log, so that a wrong key is noticed when it is opened; undefined without a key. */
  marker(): Buffer | undefined {
    return this.#key && this.#encrypt(this.#key, MARKER, 0)
  }

  /** @throws LogUnusable when the marker was not written with this vault's key */
  check(marker: Uint8Array): void {
    if (this.#key === undefined)
      throw new LogUnusable('the secrets in this log are encrypted; configure the key it was written with')
    try {
      if (this.#unwrap(marker, 0).equals(MARKER)) return
    } catch {
      // Told below: GCM cannot tell a wrong key from a damaged marker.
    }
    throw new LogUnusable('the configured key is not the one that this log was written with')
  }

  #encrypt(key: Buffer, plain: Buffer, index: number): Buffer {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(indexBytes(index))
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([Buffer.of(SEALED), iv, cipher.getAuthTag(), sealed])
  }

  #unwrap(record: Uint8Array, index: number): Buffer {
    const bytes = bufferOf(record)
    if (bytes[0] === PLAIN) return bytes.subarray(1)
    if (bytes[0] !== SEALED) throw new LogUnusable(`the secrets of commit ${index} have an unknown format`)
    if (this.#key === undefined)
      throw new LogUnusable(`the secrets of commit ${index} are encrypted, and no key is configured`)
    const tagAt = 1 + IV_BYTES
    const sealedAt = tagAt + TAG_BYTES
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(1, tagAt), {
        authTagLength: TAG_BYTES
      })
      decipher.setAAD(indexBytes(index)).setAuthTag(bytes.subarray(tagAt, sealedAt))
      return Buffer.concat([decipher.update(bytes.subarray(sealedAt)), decipher.final()])
    } catch (error) {
      throw new LogUnusable(`the secrets of commit ${index} cannot be decrypted`, { cause: error })
    }
  }
}

/** The secrets of events by their ordinals, as JSON; undefined when there are none. */
function secretsText(events: readonly Event[]): string | undefined {
  let fields = ''
  for (let ordinal = 0; ordinal < events.length; ordinal++) {
    const secrets = events[ordinal]?.Secrets
    if (secrets !== undefined) fields += `${fields === '' ? '' : ','}"${ordinal}":${JSON.stringify(secrets)}`
  }
  return fields === '' ? undefined : `{${fields}}`
}

function indexBytes(index: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(index))
  return bytes
}
