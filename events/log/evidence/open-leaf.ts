// Verifies a commit as evidence by hashes alone, without the log or a key.
import { type Commit, type Event, NO_CALLER, type StoredHead } from '../../envelope.js'
import {
  PREVIOUS_HASH_AT,
  COMMITMENT,
  HASH,
  EVENT_METADATA_PART,
  INDEX_AT,
  PAYLOAD_PART,
  RECORD_VERSION,
  SALT,
  SECRETS_PART,
  TIME_AT,
  TIME_LENGTH_AT,
  ORIGIN_PART
} from '../record-format.js'
import { isEqual, joined, type Platform } from './platform.js'
import { ProofFailed } from './proofs.js'

/** Names of the kinds of parts. Other kinds are never disclosed. */
const KINDS = new Map<number, string>([
  [ORIGIN_PART, 'Who'],
  [EVENT_METADATA_PART, 'Head'],
  [PAYLOAD_PART, 'Payload'],
  [SECRETS_PART, 'Secrets']
])

export const nameOf = (kind: number): string => KINDS.get(kind) ?? `Part${kind}`

/** A disclosed, withheld or erased part of a commit. The leaf has the hash of each. */
export interface DisclosedPart {
  /** `Who`; for events `Head`, `Payload` or `Secrets`. */
  readonly Kind: string
  /** Of a disclosed part: 16 bytes in Base64. The leaf has the SHA-256 of salt and text. */
  readonly Salt?: string
  /** JSON. */
  readonly Text?: string
  readonly Withheld?: true
  readonly Erased?: true
}

export interface DisclosedLeaf {
  readonly Index: number
  /** The header of the record in Base64, which is the leaf of RFC 9162. */
  readonly Leaf: string
  /** In the order of the leaf. */
  readonly Parts: readonly DisclosedPart[]
}

/** The content that a leaf proves if the tree includes its hash. */
export interface OpenedLeaf<Bytes extends Uint8Array = Uint8Array> {
  /** 32 bytes. */
  readonly hash: Bytes
  /** Hash of the commit before it. */
  readonly before: Uint8Array
  /** Contains the events with a disclosed head. `By` is empty if not disclosed. */
  readonly commit: Commit
  /** Numbers of disclosed, withheld and erased parts. */
  readonly opened: number
  readonly withheld: number
  readonly erased: number
}

/** Prefix of a hashed leaf (RFC 9162 §2.1.1). */
const LEAF = Uint8Array.of(0x00)

interface LeafPart {
  readonly kind: number
  readonly commitment: Uint8Array
}

interface Leaf {
  readonly index: number
  readonly before: Uint8Array
  readonly time: string
  readonly parts: readonly LeafPart[]
}

/** @throws ProofFailed if the bytes are not the header of a record */
function parseLeaf(bytes: Uint8Array): Leaf {
  const partsAt = TIME_AT + (bytes[TIME_LENGTH_AT] ?? 0)
  if (bytes.length < partsAt || (bytes.length - partsAt) % COMMITMENT !== 0)
    throw new ProofFailed('the leaf is not the header of a commit')
  if (bytes[0] !== RECORD_VERSION)
    throw new ProofFailed(`the leaf is of version ${bytes[0]}, and this program reads ${RECORD_VERSION}`)
  const parts: LeafPart[] = []
  for (let at = partsAt; at < bytes.length; at += COMMITMENT)
    parts.push({ kind: bytes[at] ?? 0, commitment: bytes.subarray(at + 1, at + COMMITMENT) })
  return {
    index: Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(INDEX_AT)),
    before: bytes.subarray(PREVIOUS_HASH_AT, PREVIOUS_HASH_AT + HASH),
    time: new TextDecoder().decode(bytes.subarray(TIME_AT, partsAt)),
    parts
  }
}

/** Returns the text of a disclosed part, or undefined. @throws ProofFailed if the leaf has another commitment */
function textOf(
  { sha256, fromBase64 }: Platform,
  shown: DisclosedPart,
  { kind, commitment }: LeafPart,
  number: number
): string | undefined {
  if (shown.Kind !== nameOf(kind))
    throw new ProofFailed(`part ${number} is called ${shown.Kind}, and the leaf has ${nameOf(kind)} there`)
  if (shown.Text === undefined || shown.Salt === undefined) return undefined
  const salt = fromBase64(shown.Salt)
  // With a salt of another length, text could be passed off as salt.
  const text = new TextEncoder().encode(shown.Text)
  if (salt?.length !== SALT || !isEqual(sha256(joined(salt, text)), commitment))
    throw new ProofFailed(`part ${number} (${shown.Kind}) is not what the leaf commits to: it was changed`)
  return shown.Text
}

const eventOf = ({
  Topic,
  Type,
  Key,
  Namespace,
  Partition = 'default',
  FilterKeys
}: StoredHead): Omit<Event, 'Payload'> => ({ Topic, Type, Key, Namespace, Partition, FilterKeys })

/** Verifies the disclosed parts against the commitments of the leaf. @throws ProofFailed */
export function openLeafBy<Bytes extends Uint8Array>(
  platform: Platform<Bytes>,
  { Index, Leaf, Parts }: DisclosedLeaf
): OpenedLeaf<Bytes> {
  const bytes = platform.fromBase64(Leaf)
  if (!bytes) throw new ProofFailed('the leaf is no Base64')
  const leaf = parseLeaf(bytes)
  if (leaf.index !== Index) throw new ProofFailed(`the leaf is that of commit ${leaf.index}`)
  if (Parts.length !== leaf.parts.length)
    throw new ProofFailed(`the leaf has ${leaf.parts.length} parts, and ${Parts.length} are shown`)
  const texts = leaf.parts.map((part, number) =>
    textOf(platform, Parts[number] ?? { Kind: '' }, part, number)
  )
  return {
    hash: platform.sha256(joined(LEAF, bytes)),
    before: leaf.before,
    commit: commitOf(leaf, texts, Parts),
    opened: texts.filter(text => text !== undefined).length,
    withheld: Parts.filter(({ Withheld }) => Withheld).length,
    erased: Parts.filter(({ Erased }) => Erased).length
  }
}

/** @throws ProofFailed if a text is not JSON */
function commitOf(
  { index, time, parts }: Leaf,
  texts: readonly (string | undefined)[],
  shown: readonly DisclosedPart[]
): Commit {
  let By = NO_CALLER
  let head: StoredHead | undefined
  const Events: Event[] = []
  try {
    for (const [number, { kind }] of parts.entries()) {
      const text = texts[number]
      const isErased = shown[number]?.Erased === true
      if (kind === EVENT_METADATA_PART) head = text === undefined ? undefined : JSON.parse(text)
      else if (kind === ORIGIN_PART)
        By = text === undefined ? { ...NO_CALLER, ...(isErased && { Erased: true }) } : JSON.parse(text)
      else if (kind === PAYLOAD_PART && head)
        Events.push({
          ...eventOf(head),
          Payload: text === undefined ? {} : JSON.parse(text),
          ...(isErased && { Erased: true })
        })
    }
  } catch (error) {
    throw new ProofFailed('one of its texts is no JSON', { cause: error })
  }
  return { Index: index, Time: time, By, Events }
}
