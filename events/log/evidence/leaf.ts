// A commit as evidence: the leaf of the tree that stands for it, and what is opened of it. Whoever has these can prove what the commit
// says by hashes alone: without the log, and without any key.
import { sha256 } from '../../codec.js'
import { type Commit, type Event, NOBODY } from '../../envelope.js'
import { readNumber } from '../numbers.js'
import {
  BEFORE_AT,
  COMMITMENT,
  HASH,
  HEAD,
  INDEX_AT,
  PAYLOAD,
  RECORD_VERSION,
  SALT,
  SECRETS,
  TIME_AT,
  TIME_LENGTH_AT,
  WHO,
  type PartPlace
} from '../record-format.js'
import type { StoredRecord } from '../record.js'
import type { StoredHead } from '../stored-event.js'
import { fromBase64 } from './base64.js'
import { leafHash } from './merkle.js'
import { Unproved } from './proofs.js'

/** Names of the kinds of parts. Those of other kinds are never opened, and bear their number. */
const KINDS = new Map<number, string>([
  [WHO, 'Who'],
  [HEAD, 'Head'],
  [PAYLOAD, 'Payload'],
  [SECRETS, 'Secrets']
])

const nameOf = (kind: number): string => KINDS.get(kind) ?? `Part${kind}`

/** A part of a commit: opened; or kept back or erased, and then the leaf has its hash all the same. */
export interface ShownPart {
  /** `Who`, or of an event `Head`, `Payload`, `Secrets`. */
  readonly Kind: string
  /** 16 bytes in Base64, and the text: of an opened part. The leaf has the SHA-256 of the two, one behind the other. */
  readonly Salt?: string
  /** JSON. */
  readonly Text?: string
  readonly Withheld?: true
  readonly Erased?: true
}

export interface ShownLeaf {
  readonly Index: number
  /** Base64 of the record's header: the leaf, of which RFC 9162 makes the leaf hash. */
  readonly Leaf: string
  /** In the order of the leaf. */
  readonly Parts: readonly ShownPart[]
}

/** What a leaf proves, once its hash is proved to be in the tree. */
export interface OpenedLeaf {
  /** 32 bytes. */
  readonly hash: Buffer
  /** Hash of the commit before it. */
  readonly before: Buffer
  /** With the events whose heads are opened. Who asked is empty where that is not. */
  readonly commit: Commit
  /** How many parts are opened, how many kept back, and how many were erased. */
  readonly opened: number
  readonly withheld: number
  readonly erased: number
}

/**
 * A commit as evidence.
 * @param opens which parts are opened; secrets and parts of unknown kinds never are
 */
export function showLeaf(record: StoredRecord, opens: (part: PartPlace) => boolean): ShownLeaf {
  const Parts = Array.from(record.layout(), (part): ShownPart => {
    const Kind = nameOf(part.kind)
    if (part.isErased) return { Kind, Erased: true }
    const isText = part.kind === WHO || part.kind === HEAD || part.kind === PAYLOAD
    if (!isText || !opens(part)) return { Kind, Withheld: true }
    const salted = part.start + SALT
    return {
      Kind,
      Salt: record.bytes.toString('base64', part.start, salted),
      Text: record.bytes.toString('utf8', salted, part.end)
    }
  })
  return { Index: record.index, Leaf: record.leaf.toString('base64'), Parts }
}

interface LeafPart {
  readonly kind: number
  readonly commitment: Buffer
}

interface Leaf {
  readonly index: number
  readonly before: Buffer
  readonly time: string
  readonly parts: readonly LeafPart[]
}

/** @throws Unproved when the bytes are no header of a record */
function parseLeaf(bytes: Buffer): Leaf {
  const partsAt = TIME_AT + (bytes[TIME_LENGTH_AT] ?? 0)
  if (bytes.length < partsAt || (bytes.length - partsAt) % COMMITMENT !== 0)
    throw new Unproved('the leaf is not the header of a commit')
  if (bytes[0] !== RECORD_VERSION)
    throw new Unproved(`the leaf is of version ${bytes[0]}, and this program reads ${RECORD_VERSION}`)
  const parts: LeafPart[] = []
  for (let at = partsAt; at < bytes.length; at += COMMITMENT)
    parts.push({ kind: bytes[at] ?? 0, commitment: bytes.subarray(at + 1, at + COMMITMENT) })
  return {
    index: readNumber(bytes, INDEX_AT),
    before: bytes.subarray(BEFORE_AT, BEFORE_AT + HASH),
    time: bytes.toString('utf8', TIME_AT, partsAt),
    parts
  }
}

/** The text of a part that is opened; undefined for one that is not. @throws Unproved when the leaf does not commit to it */
function textOf(shown: ShownPart, { kind, commitment }: LeafPart, number: number): string | undefined {
  if (shown.Kind !== nameOf(kind))
    throw new Unproved(`part ${number} is called ${shown.Kind}, and the leaf has ${nameOf(kind)} there`)
  if (shown.Text === undefined || shown.Salt === undefined) return undefined
  const salt = fromBase64(shown.Salt)
  // Of another length, some of the text could pass for salt.
  if (salt?.length !== SALT || !sha256(Buffer.concat([salt, Buffer.from(shown.Text)])).equals(commitment))
    throw new Unproved(`part ${number} (${shown.Kind}) is not what the leaf commits to: it was changed`)
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
export function openLeaf({ Index, Leaf, Parts }: ShownLeaf): OpenedLeaf {
  const bytes = fromBase64(Leaf)
  if (!bytes) throw new Unproved('the leaf is no Base64')
  const leaf = parseLeaf(bytes)
  if (leaf.index !== Index) throw new Unproved(`the leaf is that of commit ${leaf.index}`)
  if (Parts.length !== leaf.parts.length)
    throw new Unproved(`the leaf has ${leaf.parts.length} parts, and ${Parts.length} are shown`)
  const texts = leaf.parts.map((part, number) => textOf(Parts[number] ?? { Kind: '' }, part, number))
  return {
    hash: leafHash(bytes),
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
  shown: readonly ShownPart[]
): Commit {
  let By = NOBODY
  let head: StoredHead | undefined
  const Events: Event[] = []
  try {
    for (const [number, { kind }] of parts.entries()) {
      const text = texts[number]
      const isErased = shown[number]?.Erased === true
      if (kind === HEAD) head = text === undefined ? undefined : JSON.parse(text)
      else if (kind === WHO)
        By = text === undefined ? { ...NOBODY, ...(isErased && { Erased: true }) } : JSON.parse(text)
      else if (kind === PAYLOAD && head)
        Events.push({
          ...eventOf(head),
          Payload: text === undefined ? {} : JSON.parse(text),
          ...(isErased && { Erased: true })
        })
    }
  } catch (error) {
    throw new Unproved('one of its texts is no JSON', { cause: error })
  }
  return { Index: index, Time: time, By, Events }
}
