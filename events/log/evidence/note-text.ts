// Parses signed notes, keys and checkpoints on any platform, without verifying them (c2sp.org/signed-note,
// c2sp.org/tlog-checkpoint).
import { isEqual, joined, type Platform } from './platform.js'

type Reader = Pick<Platform, 'fromBase64'>

/** Ed25519 over the text of the note, or over the text and a time, as a witness signs (c2sp.org/tlog-cosignature). */
export type SignatureType = 'ed25519' | 'cosignature/v1'

/** The byte of the type in the ID of a key. */
export const TYPE_BYTES: Readonly<Record<SignatureType, number>> = { ed25519: 0x01, 'cosignature/v1': 0x04 }

/** Length of an Ed25519 public key and of a seed. */
export const KEY_BYTES = 32
export const ID_BYTES = 4
const MOST_SIGNATURES = 100
const HASH_BYTES = 32

/** A note, key or checkpoint violates its specification. The message states how. */
export class MalformedNote extends Error {
  override readonly name = 'MalformedNote'
}

/** Rejects Unicode spaces and plus signs. */
export const isKeyName = (name: string): boolean => name !== '' && !/[\s\u0085+]/u.test(name)

/** An unverified signature of a note. */
export interface SignatureLine<Bytes extends Uint8Array = Uint8Array> {
  readonly name: string
  readonly id: number
  /** The signature; for a cosignature its time and the signature. */
  readonly bytes: Bytes
  /** The whole line, with its line feed. */
  readonly line: string
}

export interface NoteParts<Bytes extends Uint8Array = Uint8Array> {
  /** With its last line feed. */
  readonly text: string
  readonly signatures: readonly SignatureLine<Bytes>[]
}

export interface KeyParts {
  readonly name: string
  /** The first four bytes of a hash of name, type and key. */
  readonly id: number
  readonly type: SignatureType
  /** 32 bytes. */
  readonly key: Uint8Array
}

const numberOf = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)

/** Requires a final line feed and no other control characters. @throws MalformedNote */
export function checkText(text: string): void {
  if (!text.endsWith('\n')) throw new MalformedNote('the text of a note ends with a line feed')
  // oxlint-disable-next-line no-control-regex -- these are what a note must not have
  if (/[\0-\t\v-\x1f]/u.test(text)) throw new MalformedNote('a note has no control characters')
}

/** Parses signature lines, such as the response of a witness. @throws MalformedNote */
export function signatureLines(platform: Reader, lines: string): readonly SignatureLine[] {
  if (!lines.endsWith('\n')) throw new MalformedNote('the last line of a note ends with a line feed')
  const all = lines.slice(0, -1).split('\n')
  if (all.length > MOST_SIGNATURES)
    throw new MalformedNote(`a note has at most ${MOST_SIGNATURES} signatures`)
  return all.map(line => {
    const [, name = '', encoded = ''] = /^\u2014 ([^ ]+) ([^ ]+)$/u.exec(line) ?? []
    const bytes = platform.fromBase64(encoded)
    if (!isKeyName(name) || !bytes || bytes.length <= ID_BYTES)
      throw new MalformedNote(`${JSON.stringify(line)} is no line of a signature`)
    return { name, id: numberOf(bytes), bytes: bytes.subarray(ID_BYTES), line: `${line}\n` }
  })
}

/** @throws MalformedNote */
export function noteParts(platform: Reader, note: string): NoteParts {
  const end = note.lastIndexOf('\n\n') + 1
  if (end === 0) throw new MalformedNote('a note has an empty line before its signatures')
  const text = note.slice(0, end)
  checkText(text)
  return { text, signatures: signatureLines(platform, note.slice(end + 1)) }
}

const typedKey = (type: SignatureType, key: Uint8Array): Uint8Array =>
  joined(Uint8Array.of(TYPE_BYTES[type]), key)

/** Returns the first four bytes of a hash of name, type and key. */
export const keyId = (platform: Platform, name: string, type: SignatureType, key: Uint8Array): number =>
  numberOf(platform.sha256(joined(new TextEncoder().encode(`${name}\n`), typedKey(type, key))))

export const hexId = (id: number): string => id.toString(16).padStart(2 * ID_BYTES, '0')

/** Parses a `vkey` line. @throws MalformedNote */
export function keyParts(platform: Platform, vkey: string): KeyParts {
  const [, name = '', hex = '', encoded = ''] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/u.exec(vkey) ?? []
  const typed = platform.fromBase64(encoded)
  if (!typed || hex === '' || !isKeyName(name))
    throw new MalformedNote(
      `${JSON.stringify(vkey)} is no key: one is "name+hash+key", the hash 8 hex digits and the key in Base64`
    )
  const type = typed[0] === TYPE_BYTES.ed25519 ? 'ed25519' : 'cosignature/v1'
  const key = typed.subarray(1)
  if (!isEqual(typed, typedKey(type, key)) || key.length !== KEY_BYTES)
    throw new MalformedNote(`the key of ${name} is no Ed25519 key: of types, 1 and 4 are known`)
  const id = keyId(platform, name, type, key)
  if (hexId(id) !== hex)
    throw new MalformedNote(`the key of ${name} has another hash than ${hex}: it was not copied whole`)
  return { name, id, type, key }
}

/** The content of a checkpoint; a tree head in RFC 9162. */
export interface TreeHead<Bytes extends Uint8Array = Uint8Array> {
  /** Name of the log and of its signing key. */
  readonly origin: string
  /** Number of leaves; also the index of the newest covered commit. */
  readonly size: number
  /** 32 bytes. */
  readonly root: Bytes
  /** Further signed lines without a defined meaning. */
  readonly extensions?: readonly string[]
}

/** Parses the text of a checkpoint. @throws MalformedNote */
export function treeHead<Bytes extends Uint8Array>(
  platform: Pick<Platform<Bytes>, 'fromBase64'>,
  text: string
): TreeHead<Bytes> {
  const [origin = '', digits = '', encoded = '', ...rest] = text.split('\n')
  const extensions = rest.slice(0, -1)
  if (origin === '' || rest.at(-1) !== '' || extensions.includes(''))
    throw new MalformedNote('a checkpoint has three lines or more, and none of them is empty')
  const size = Number(digits)
  if (!/^(0|[1-9]\d*)$/u.test(digits) || !Number.isSafeInteger(size))
    throw new MalformedNote(`${JSON.stringify(digits)} is no size of a tree`)
  const root = platform.fromBase64(encoded)
  if (root?.length !== HASH_BYTES)
    throw new MalformedNote(`${JSON.stringify(encoded)} is no SHA-256 hash in Base64`)
  return { origin, size, root, extensions }
}
