// Opens a commit as evidence: its leaf and disclosed parts prove its content by hashes alone, without the log or a key.
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

/** Names of the kinds of parts. Those of other kinds are never opened, and bear their number. */
const KINDS = new Map<number, string>([
  [ORIGIN_PART, 'Who'],
  [EVENT_METADATA_PART, 'Head'],
  [PAYLOAD_PART, 'Payload'],
  [SECRETS_PART, 'Secrets']
])

/** How a kind is called in what is shown. */
export const nameOf = (kind: number): string => KINDS.get(kind) ?? `Part${kind}`

/** A part of a commit: opened; or kept back or erased, and then the leaf has its hash all the same. */
export interface DisclosedPart {
  /** `Who`, or of an event `Head`, `Payload`, `Secrets`. */
  readonly Kind: string
  /** 16 bytes in Base64, and the text: of an opened part. The leaf has the SHA-256 of the two, one behind the other. */
  readonly Salt?: string
  /** JSON. */
  readonly Text?: string
  readonly Withheld?: true
  readonly Erased?: true
}

export interface DisclosedLeaf {
  readonly Index: number
  /** Base64 of the record's header: the leaf, of which RFC 9162 makes the leaf hash. */
  readonly Leaf: string
  /** In the order of the leaf. */
  readonly Parts: readonly DisclosedPart[]
}

/** What a leaf proves, once its hash is proved to be in the tree. */
export interface OpenedLeaf<Bytes extends Uint8Array = Uint8Array> {
  /** 32 bytes. */
  readonly hash: Bytes
  /** Hash of the commit before it. */
  readonly before: Uint8Array
  /** With the events whose heads are opened. Who asked is empty where that is not. */
  readonly commit: Commit
  /** How many parts are opened, how many kept back, and how many were erased. */
  readonly opened: number
  readonly withheld: number
  readonly erased: number
}

/** What stands before a leaf where it is hashed (RFC 9162 §2.1.1). */
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

/** @throws Unproved when the bytes are no header of a record */
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

/** The text of a part that is opened; undefined for one that is not. @throws Unproved when the leaf does not commit to it */
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
  // Of another length, some of the text could pass for salt.
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

/** Proves that the parts that are opened are what the leaf commits to. @throws Unproved */
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

/** @throws Unproved when a text is no JSON */
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
