// The keys that sign notes, and the names and IDs by which a signature tells its key (c2sp.org/signed-note).
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { sha256 } from '../../codec.js'
import { fromBase64 } from './base64.js'
import {
  hexId,
  isKeyName,
  KEY_BYTES,
  keyId,
  keyParts,
  MalformedNote,
  TYPE_BYTES,
  type SignatureType
} from './note-text.js'

export { MalformedNote } from './note-text.js'

/** What RFC 8410 puts before the seed (PKCS #8), and before the public key (SPKI). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** A public key that is known by a name. */
export interface NoteKey {
  readonly name: string
  /** The first four bytes of a hash of name, type and key. */
  readonly id: number
  readonly type: SignatureType
  readonly publicKey: KeyObject
}

/** A key of one's own. */
export interface NoteSigner {
  readonly key: NoteKey
  readonly privateKey: KeyObject
}

const rawKey = (key: KeyObject): Buffer =>
  key.export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length)

const platform = { sha256, fromBase64 }

/**
 * @param publicKey Ed25519
 * @throws MalformedNote when the name cannot be one
 */
export function noteKey(name: string, publicKey: KeyObject, type: SignatureType = 'ed25519'): NoteKey {
  if (!isKeyName(name)) throw new MalformedNote(`${JSON.stringify(name)} cannot be the name of a key`)
  return { name, id: keyId(platform, name, type, rawKey(publicKey)), type, publicKey }
}

/**
 * A key of one's own, of its seed.
 * @param seed 32 bytes, as RFC 8032 §5.1.5 has them
 * @throws MalformedNote when the name cannot be one, or the seed is of another length
 */
export function noteSigner(name: string, seed: Uint8Array, type: SignatureType = 'ed25519'): NoteSigner {
  if (seed.length !== KEY_BYTES) throw new MalformedNote(`the seed of a key has ${KEY_BYTES} bytes`)
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8'
  })
  return { key: noteKey(name, createPublicKey(privateKey), type), privateKey }
}

/** A key as one line that others are given: name, ID in hex and key in Base64, joined by `+`. */
export const vkeyOf = ({ name, id, type, publicKey }: NoteKey): string =>
  `${name}+${hexId(id)}+${Buffer.concat([Buffer.of(TYPE_BYTES[type]), rawKey(publicKey)]).toString('base64')}`

/** The key of a `vkey` line. @throws MalformedNote telling what is wrong with it */
export function parseVkey(vkey: string): NoteKey {
  const { name, type, key } = keyParts(platform, vkey)
  const spki = Buffer.concat([SPKI_PREFIX, key])
  return noteKey(name, createPublicKey({ key: spki, format: 'der', type: 'spki' }), type)
}
