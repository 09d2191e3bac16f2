// Signed notes (c2sp.org/signed-note) and the timestamped cosignatures of witnesses (c2sp.org/tlog-cosignature).
import { isUtf8 } from 'node:buffer'
import { sign, verify } from 'node:crypto'
import { sha256 } from '../../codec.js'
import { fromBase64 } from './base64.js'
import { MalformedNote, type NoteKey, type NoteSigner } from './note-keys.js'
import {
  checkText,
  ID_BYTES,
  noteParts,
  signatureLines,
  type NoteParts,
  type SignatureLine
} from './note-text.js'

/** Bounds the cost of a foreign note. */
const MOST_BYTES = 1_000_000
const LINE_START = '\u2014 '
const TIME_BYTES = 8

type NoteSignature = SignatureLine<Buffer>

export interface VerifiedSignature {
  readonly key: NoteKey
  /** Time of a cosignature in seconds since 1970; undefined for other signatures. */
  readonly time: number | undefined
  readonly line: string
}

type Note = NoteParts<Buffer>

interface OpenedNote extends Note {
  /** The signatures of known keys, one per key. */
  readonly verified: readonly VerifiedSignature[]
}

const cosigned = (text: string, time: number): Buffer => Buffer.from(`cosignature/v1\ntime ${time}\n${text}`)

const lineOf = ({ name, id }: NoteKey, ...bytes: readonly Buffer[]): string => {
  const head = Buffer.alloc(ID_BYTES)
  head.writeUInt32BE(id)
  return `${LINE_START}${name} ${Buffer.concat([head, ...bytes]).toString('base64')}\n`
}

/** Signs the text of a note. @throws MalformedNote for an invalid text */
export function signatureLine(text: string, { key, privateKey }: NoteSigner): string {
  checkText(text)
  return lineOf(key, sign(null, Buffer.from(text), privateKey))
}

/** Cosigns the text of a checkpoint as a witness. @param time seconds since 1970. @throws MalformedNote for an invalid text */
export function cosignatureLine(text: string, { key, privateKey }: NoteSigner, time: number): string {
  checkText(text)
  const bytes = Buffer.alloc(TIME_BYTES)
  bytes.writeBigUInt64BE(BigInt(time))
  return lineOf(key, bytes, sign(null, cosigned(text, time), privateKey))
}

export const noteOf = (text: string, lines: readonly string[]): string => `${text}\n${lines.join('')}`

/** Returns a signed note. @throws MalformedNote for an invalid text */
export const signNote = (text: string, ...signers: readonly NoteSigner[]): string =>
  noteOf(
    text,
    signers.map(signer => signatureLine(text, signer))
  )

const platform = { sha256, fromBase64 }

const inBuffer = ({ bytes, ...line }: SignatureLine): NoteSignature => ({
  ...line,
  bytes: Buffer.from(bytes)
})

/** Parses signature lines, such as the response of a witness. @throws MalformedNote */
export const parseSignatures = (lines: string): readonly NoteSignature[] =>
  signatureLines(platform, lines).map(inBuffer)

/** Parses a note without verifying it. @throws MalformedNote */
export function parseNote(bytes: Uint8Array): Note {
  if (bytes.length > MOST_BYTES) throw new MalformedNote(`a note has at most ${MOST_BYTES} bytes`)
  if (!isUtf8(bytes)) throw new MalformedNote('a note is UTF-8')
  const { text, signatures } = noteParts(platform, Buffer.from(bytes).toString())
  return { text, signatures: signatures.map(inBuffer) }
}

/** Verifies the signature of a text. Returns undefined if it is invalid. */
export function verifySignature(
  text: string,
  { bytes, line }: NoteSignature,
  key: NoteKey
): VerifiedSignature | undefined {
  if (key.type === 'ed25519')
    return verify(null, Buffer.from(text), key.publicKey, bytes) ? { key, time: undefined, line } : undefined
  if (bytes.length < TIME_BYTES) return undefined
  const time = Number(bytes.readBigUInt64BE())
  if (!Number.isSafeInteger(time)) return undefined
  return verify(null, cosigned(text, time), key.publicKey, bytes.subarray(TIME_BYTES))
    ? { key, time, line }
    : undefined
}

export const keyOfSignature = ({ name, id }: NoteSignature, keys: readonly NoteKey[]): NoteKey | undefined =>
  keys.find(key => key.name === name && key.id === id)

/** Verifies a note's signatures of known keys and ignores others. @throws MalformedNote also for an invalid or no known signature */
export function openNote(bytes: Uint8Array, keys: readonly NoteKey[]): OpenedNote {
  const note = parseNote(bytes)
  const verified = new Map<NoteKey, VerifiedSignature>()
  for (const signature of note.signatures) {
    const key = keyOfSignature(signature, keys)
    if (!key || verified.has(key)) continue
    const holds = verifySignature(note.text, signature, key)
    if (!holds) throw new MalformedNote(`the signature of ${key.name} does not hold: the text was changed`)
    verified.set(key, holds)
  }
  if (verified.size === 0)
    throw new MalformedNote(`no known key has signed: known are ${keys.map(({ name }) => name).join(', ')}`)
  return { ...note, verified: [...verified.values()] }
}
