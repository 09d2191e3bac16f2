// The keys that sign notes, and the names and IDs that identify them in signatures (c2sp.org/signed-note).
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
  type KeyParts,
  type SignatureType
} from './note-text.js'

export { MalformedNote } from './note-text.js'

/** Prefixes of the seed (PKCS #8) and the public key (SPKI) in RFC 8410. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

export interface NoteKey extends Omit<KeyParts, 'key'> {
  readonly publicKey: KeyObject
}

export interface NoteSigner {
  readonly key: NoteKey
  readonly privateKey: KeyObject
}

const rawKey = (key: KeyObject): Buffer =>
  key.export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length)

const platform = { sha256, fromBase64 }

/** @param publicKey Ed25519. @throws MalformedNote for an invalid name */
export function noteKey(name: string, publicKey: KeyObject, type: SignatureType = 'ed25519'): NoteKey {
  if (!isKeyName(name)) throw new MalformedNote(`${JSON.stringify(name)} cannot be the name of a key`)
  return { name, id: keyId(platform, name, type, rawKey(publicKey)), type, publicKey }
}

/** Derives a signing key. @param seed 32 bytes (RFC 8032 §5.1.5). @throws MalformedNote for an invalid name or length of the seed */
export function noteSigner(name: string, seed: Uint8Array, type: SignatureType = 'ed25519'): NoteSigner {
  if (seed.length !== KEY_BYTES) throw new MalformedNote(`the seed of a key has ${KEY_BYTES} bytes`)
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8'
  })
  return { key: noteKey(name, createPublicKey(privateKey), type), privateKey }
}

/** Returns the public line of a key: name, ID in hex and key in Base64, joined by `+`. */
export const vkeyOf = ({ name, id, type, publicKey }: NoteKey): string =>
  `${name}+${hexId(id)}+${Buffer.concat([Buffer.of(TYPE_BYTES[type]), rawKey(publicKey)]).toString('base64')}`

/** Parses a `vkey` line. @throws MalformedNote */
export function parseVkey(vkey: string): NoteKey {
  const { name, type, key } = keyParts(platform, vkey)
  const spki = Buffer.concat([SPKI_PREFIX, key])
  return noteKey(name, createPublicKey({ key: spki, format: 'der', type: 'spki' }), type)
}
