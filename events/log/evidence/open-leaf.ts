// Verifies a commit as evidence by hashes alone, without the log or a key.
import { type Commit, type Event, NO_CALLER, type StoredHead } from '../../envelope.js'
import {
  PREVIOUS_HASH_AT,
  COMMITMENT,
  HASH,
  EVENT_METADATA_PART,
  INDEX_AT,
  PART_COUNT_AT,
  PAYLOAD_PART,
  RECORD_VERSION,
  RESPONSE_PART,
  ROOT_AT,
  SALT,
  SECRETS_PART,
  SUMMARY,
  TIME_AT,
  TIME_LENGTH_AT,
  ORIGIN_PART
} from '../record-format.js'
import { isEqual, joined, type Platform } from './platform.js'
import { ProofFailed, RootBuilderBy } from './proofs.js'

/** Names of the kinds of parts. Other kinds are never disclosed. */
const KINDS = new Map<number, string>([
  [ORIGIN_PART, 'Who'],
  [EVENT_METADATA_PART, 'Head'],
  [PAYLOAD_PART, 'Payload'],
  [SECRETS_PART, 'Secrets']
])

export const nameOf = (kind: number): string => KINDS.get(kind) ?? `Part${kind}`

/** A disclosed, withheld or erased part of a commit. The leaf commits to the hash of each. */
export interface DisclosedPart {
  /** `Who`; for events `Head`, `Payload` or `Secrets`. */
  readonly Kind: string
  /** Of a disclosed part: 16 bytes in Base64. */
  readonly Salt?: string
  /** JSON. */
  readonly Text?: string
  readonly Withheld?: true
  readonly Erased?: true
  /** Commitment of a part that is not disclosed, in Base64. Leaves of version 1 contain the commitments. */
  readonly Hash?: string
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

/** Prefixes of a hashed leaf and node (RFC 9162 §2.1.1). */
const LEAF = Uint8Array.of(0x00)
const NODE = Uint8Array.of(0x01)

interface Leaf {
  readonly version: number
  readonly index: number
  readonly before: Uint8Array
  readonly time: string
  /** Behind the time: the commitments in version 1, later their summary. */
  readonly rest: Uint8Array
}

/** @throws ProofFailed if the bytes are not the header of a record */
function parseLeaf(bytes: Uint8Array): Leaf {
  const version = bytes[0] ?? 0
  if (version !== 1 && version !== RECORD_VERSION)
    throw new ProofFailed(`the leaf is of version ${version}, and this program reads up to ${RECORD_VERSION}`)
  const restAt = TIME_AT + (bytes[TIME_LENGTH_AT] ?? 0)
  const rest = bytes.subarray(restAt)
  if (bytes.length < restAt || (version === 1 ? rest.length % COMMITMENT !== 0 : rest.length !== SUMMARY))
    throw new ProofFailed('the leaf is not the header of a commit')
  return {
    version,
    index: Number(viewOf(bytes).getBigUint64(INDEX_AT)),
    before: bytes.subarray(PREVIOUS_HASH_AT, PREVIOUS_HASH_AT + HASH),
    time: new TextDecoder().decode(bytes.subarray(TIME_AT, restAt)),
    rest
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

const kindNamed = (name: string): number | undefined =>
  [...KINDS].find(([, known]) => known === name)?.[0] ??
  (name === nameOf(RESPONSE_PART) ? RESPONSE_PART : undefined)

/** A leaf with the kinds and hashes of its parts, of which a disclosed one has its bytes. */
interface ShownPart {
  readonly kind: number
  /** Salt and text. */
  readonly bytes: Uint8Array | undefined
  readonly text: string | undefined
  readonly isErased: boolean
  readonly hash: Uint8Array | undefined
}

/** @throws ProofFailed if it is neither disclosed nor withheld nor erased */
function shownPart({ fromBase64 }: Platform, shown: DisclosedPart, number: number): ShownPart {
  const { Kind, Salt, Text: text, Withheld, Erased, Hash } = shown
  const kind = kindNamed(Kind)
  if (kind === undefined) throw new ProofFailed(`part ${number} is called ${Kind}, which no part is`)
  const isErased = Erased === true
  if (text === undefined) {
    // Nothing erases the head of an event, and a part must not vanish.
    if (isErased === (Withheld === true) || (isErased && kind === EVENT_METADATA_PART))
      throw new ProofFailed(`part ${number} (${Kind}) is neither shown nor withheld, nor can it be erased`)
    const hash = Hash === undefined ? undefined : fromBase64(Hash)
    return { kind, bytes: undefined, text, isErased, hash }
  }
  const salt = fromBase64(Salt ?? '')
  // With a salt of another length, text could be passed off as salt.
  if (salt?.length !== SALT || isErased || Withheld)
    throw new ProofFailed(`part ${number} (${Kind}) has no salt of ${SALT} bytes, or is called absent`)
  return { kind, bytes: joined(salt, new TextEncoder().encode(text)), text, isErased, hash: undefined }
}

const changed = (number: number, { kind }: ShownPart): ProofFailed =>
  new ProofFailed(`part ${number} (${nameOf(kind)}) is not what the leaf commits to: it was changed`)

/** Version 1, whose leaf has kind and hash of each part. @throws ProofFailed */
function verifyParts({ sha256 }: Platform, { rest }: Leaf, parts: readonly ShownPart[]): void {
  if (rest.length !== parts.length * COMMITMENT)
    throw new ProofFailed(`the leaf has ${rest.length / COMMITMENT} parts, and ${parts.length} are shown`)
  for (const [number, part] of parts.entries()) {
    const at = number * COMMITMENT
    const kind = rest[at] ?? 0
    if (kind !== part.kind)
      throw new ProofFailed(
        `part ${number} is called ${nameOf(part.kind)}, and the leaf has ${nameOf(kind)} there`
      )
    if (part.bytes && !isEqual(sha256(part.bytes), rest.subarray(at + 1, at + COMMITMENT)))
      throw changed(number, part)
  }
}

/**
 * The leaf has the root over the parts, and how many parts and events there are. With the order of kinds, that tells whether a part that
 * is not disclosed is the head of an event.
 * @throws ProofFailed
 */
function verifyRoot({ sha256 }: Platform, { rest }: Leaf, parts: readonly ShownPart[]): void {
  const view = viewOf(rest)
  const count = view.getUint32(PART_COUNT_AT)
  if (parts.length === 0 || count !== parts.length)
    throw new ProofFailed(`the leaf has ${count} parts, and ${parts.length} are shown`)
  const events = parts.filter(({ kind }) => kind === EVENT_METADATA_PART).length
  if (view.getUint32(0) !== events || !areOrdered(parts))
    throw new ProofFailed(`the leaf has ${view.getUint32(0)} events, and other kinds of parts are shown`)
  const root = new RootBuilderBy<Uint8Array>((left, right) => sha256(joined(NODE, left, right)))
  for (const [number, part] of parts.entries()) {
    const hash = part.bytes ? sha256(joined(LEAF, Uint8Array.of(part.kind), part.bytes)) : part.hash
    if (hash?.length !== HASH) throw new ProofFailed(`part ${number} (${nameOf(part.kind)}) has no hash`)
    root.add(hash)
  }
  if (!isEqual(root.root, rest.subarray(ROOT_AT)))
    throw new ProofFailed('the parts are not those that the leaf commits to: at least one was changed')
}

/** Kinds that may follow one. */
const FOLLOWERS = new Map<number, readonly number[]>([
  [ORIGIN_PART, [EVENT_METADATA_PART, RESPONSE_PART]],
  [EVENT_METADATA_PART, [PAYLOAD_PART]],
  [PAYLOAD_PART, [SECRETS_PART, EVENT_METADATA_PART, RESPONSE_PART]],
  [SECRETS_PART, [EVENT_METADATA_PART, RESPONSE_PART]]
])

const areOrdered = (parts: readonly ShownPart[]): boolean =>
  parts.every(({ kind }, number) =>
    number === 0 ? kind === ORIGIN_PART : FOLLOWERS.get(parts[number - 1]?.kind ?? 0)?.includes(kind) === true
  ) && parts.at(-1)?.kind !== EVENT_METADATA_PART

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
  const parts = Parts.map((part, number) => shownPart(platform, part, number))
  const verify = leaf.version === 1 ? verifyParts : verifyRoot
  verify(platform, leaf, parts)
  return {
    hash: platform.sha256(joined(LEAF, bytes)),
    before: leaf.before,
    commit: commitOf(leaf, parts),
    opened: parts.filter(({ text }) => text !== undefined).length,
    withheld: Parts.filter(({ Withheld }) => Withheld).length,
    erased: Parts.filter(({ Erased }) => Erased).length
  }
}

/** @throws ProofFailed if a text is not JSON */
function commitOf({ index, time }: Leaf, parts: readonly ShownPart[]): Commit {
  let By = NO_CALLER
  let head: StoredHead | undefined
  const Events: Event[] = []
  try {
    for (const { kind, text, isErased } of parts) {
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
