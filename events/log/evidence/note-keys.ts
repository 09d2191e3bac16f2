// The keys that sign notes, and the names and IDs by which a signature tells its key (c2sp.org/signed-note).
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { sha256 } from '../../codec.js'
import { fromBase64 } from './base64.js'

/** Ed25519 over the text of the note, or over the text and a time, as a witness signs (c2sp.org/tlog-cosignature). */
export type SignatureType = 'ed25519' | 'cosignature/v1'

/** What tells the type of a signature in its key's ID. */
const TYPE_BYTES: Readonly<Record<SignatureType, number>> = { ed25519: 0x01, 'cosignature/v1': 0x04 }

/** Bytes of an Ed25519 public key, and of the seed that a private one is made of. */
const KEY_BYTES = 32
const ID_BYTES = 4

/** What RFC 8410 puts before the seed (PKCS #8), and before the public key (SPKI). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** A note, a key or a checkpoint that is not what its specification says; the text tells what is wrong. */
export class MalformedNote extends Error {
  override readonly name = 'MalformedNote'
}

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

/** Names have no Unicode space and no plus. */
export const isKeyName = (name: string): boolean => name !== '' && !/[\s\u0085+]/u.test(name)

const rawKey = (key: KeyObject): Buffer =>
  key.export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length)

const typedKey = (type: SignatureType, raw: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(TYPE_BYTES[type]), raw])

const keyId = (name: string, typed: Buffer): number =>
  sha256(Buffer.concat([Buffer.from(`${name}\n`), typed])).readUInt32BE()

/**
 * @param publicKey Ed25519
 * @throws MalformedNote when the name cannot be one
 */
export function noteKey(name: string, publicKey: KeyObject, type: SignatureType = 'ed25519'): NoteKey {
  if (!isKeyName(name)) throw new MalformedNote(`${JSON.stringify(name)} cannot be the name of a key`)
  return { name, id: keyId(name, typedKey(type, rawKey(publicKey))), type, publicKey }
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

const hexId = (id: number): string => id.toString(16).padStart(2 * ID_BYTES, '0')

/** A key as one line that others are given: name, ID in hex and key in Base64, joined by `+`. */
export const vkeyOf = ({ name, id, type, publicKey }: NoteKey): string =>
  `${name}+${hexId(id)}+${typedKey(type, rawKey(publicKey)).toString('base64')}`

/** The key of a `vkey` line. @throws MalformedNote telling what is wrong with it */
export function parseVkey(vkey: string): NoteKey {
  const [, name = '', id = '', encoded = ''] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/u.exec(vkey) ?? []
  const typed = fromBase64(encoded)
  if (!typed || id === '' || !isKeyName(name))
    throw new MalformedNote(
      `${JSON.stringify(vkey)} is no key: one is "name+hash+key", the hash 8 hex digits and the key in Base64`
    )
  const type = typed[0] === TYPE_BYTES.ed25519 ? 'ed25519' : 'cosignature/v1'
  if (typed[0] !== TYPE_BYTES[type] || typed.length !== 1 + KEY_BYTES)
    throw new MalformedNote(`the key of ${name} is no Ed25519 key: of types, 1 and 4 are known`)
  if (hexId(keyId(name, typed)) !== id)
    throw new MalformedNote(`the key of ${name} has another hash than ${id}: it was not copied whole`)
  const key = Buffer.concat([SPKI_PREFIX, typed.subarray(1)])
  return noteKey(name, createPublicKey({ key, format: 'der', type: 'spki' }), type)
}
