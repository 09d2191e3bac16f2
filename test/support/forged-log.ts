// A forged log: the work of an attacker with access to all files, who adapts every hash and checksum to the changes.
import { crc32 } from 'node:zlib'
import { NO_HASH, sha256 } from '../../events/codec.js'
import { nodeHash } from '../../events/log/evidence/merkle.js'
import { RootBuilderBy } from '../../events/log/evidence/proofs.js'
import {
  COMMITMENT_AT,
  COUNT_AT,
  EVENT_METADATA_PART,
  FRAMING,
  HEADER_LENGTH_AT,
  INDEX_AT,
  KIND_AT,
  LEAF_PREFIX,
  LENGTH_AT,
  ORIGIN_PART,
  PART_FRAME,
  PARTS_AT,
  PAYLOAD_PART,
  PREVIOUS_HASH_AT,
  RECORD_VERSION,
  SALT,
  TIME_AT,
  TIME_LENGTH_AT
} from '../../events/log/record-format.js'
import { writeNumber } from '../../events/log/numbers.js'
import { StoredRecord } from '../../events/log/record.js'
import type { Random } from './random.js'

interface DraftPart {
  readonly kind: number
  /** Salt and body. */
  readonly stored: Buffer
}

/** A commit that can be changed. Its hashes are computed when it is written. */
export interface Draft {
  readonly time: string
  readonly parts: readonly DraftPart[]
}

/** A change of a log. */
interface Tampering {
  readonly what: string
  /** Index of the first changed or deleted commit. */
  readonly at: number
  readonly drafts: readonly Draft[]
}

export const draftsOf = (records: readonly StoredRecord[]): readonly Draft[] =>
  records.map(record => ({
    time: record.time,
    parts: Array.from(record.layout(), ({ kind, start, end }) => ({
      kind,
      stored: Buffer.from(record.bytes.subarray(start, end))
    }))
  }))

/** Writes drafts as commits 1, 2, 3 …, with a valid chain. */
export function recordsOf(drafts: readonly Draft[]): readonly StoredRecord[] {
  let before: Uint8Array = NO_HASH
  return drafts.map((draft, i) => {
    const record = StoredRecord.at(recordBytes(draft, i + 1, before))
    if (!record) throw new Error('the forged record is none')
    before = record.hash
    return record
  })
}

function recordBytes({ time, parts }: Draft, index: number, before: Uint8Array): Buffer {
  const header = Buffer.alloc(TIME_AT)
  header[0] = RECORD_VERSION
  writeNumber(header, index, INDEX_AT)
  header.set(before, PREVIOUS_HASH_AT)
  header[TIME_LENGTH_AT] = Buffer.byteLength(time)
  const bodies = parts.map(({ kind, stored }) => Buffer.concat([Buffer.of(0, kind), stored]))
  const root = new RootBuilderBy<Buffer>(nodeHash)
  for (const body of bodies) root.add(sha256(body))
  const counts = Buffer.alloc(8)
  counts.writeUInt32BE(parts.filter(({ kind }) => kind === EVENT_METADATA_PART).length)
  counts.writeUInt32BE(parts.length, 4)
  const leaf = Buffer.concat([header, Buffer.from(time), counts, root.root])
  const frame = PART_FRAME[RECORD_VERSION]
  const frames = Buffer.alloc(PARTS_AT + parts.length * frame)
  frames.writeUInt32BE(parts.length, COUNT_AT)
  frames[COUNT_AT] = FRAMING[RECORD_VERSION]
  frames.writeUInt32BE(leaf.length, HEADER_LENGTH_AT)
  for (const [i, { kind, stored }] of parts.entries()) {
    const at = PARTS_AT + i * frame
    frames.writeUInt32BE(stored.length, at)
    frames[at + KIND_AT] = kind
    frames.set(sha256(bodies[i] ?? stored), at + COMMITMENT_AT)
  }
  const bytes = Buffer.concat([frames, Buffer.alloc(LEAF_PREFIX), leaf, ...bodies])
  bytes.writeUInt32BE(bytes.length, LENGTH_AT)
  bytes.writeUInt32BE(crc32(bytes.subarray(LENGTH_AT, frames.length + LEAF_PREFIX + leaf.length)), 0)
  return bytes
}

/** Returns another JSON text with the same salt. */
function rewritten({ kind, stored }: DraftPart, marker: string): DraftPart {
  const content = JSON.parse(stored.toString('utf8', SALT))
  const field = kind === ORIGIN_PART ? 'AccessorID' : 'Filler'
  const text = JSON.stringify({ ...content, [field]: marker })
  return { kind, stored: Buffer.concat([stored.subarray(0, SALT), Buffer.from(text)]) }
}

const otherTime = (time: string): string => time.replace('2026', '2025')

/**
 * Makes a random change in the first `upTo` commits, or cuts off the end within the first `kept`. A log that is cut after everything that
 * an auditor knows is a valid earlier log.
 */
export function tamper(
  drafts: readonly Draft[],
  { upTo, kept }: { readonly upTo: number; readonly kept: number },
  random: Random
): Tampering {
  const i = random.below(upTo - 1)
  const cut = random.below(kept)
  const one = drafts[i]
  const next = drafts[i + 1]
  if (!one || !next) throw new RangeError(`there are no ${upTo} commits`)
  const marker = random.uuid()
  const withPart = (kind: number): Draft => ({
    ...one,
    parts: one.parts.map(part => (part.kind === kind ? rewritten(part, marker) : part))
  })
  const at = i + 1
  const ways: readonly (() => Tampering)[] = [
    () => ({ what: 'somebody else is named', at, drafts: drafts.with(i, withPart(ORIGIN_PART)) }),
    () => ({ what: 'a payload is another one', at, drafts: drafts.with(i, withPart(PAYLOAD_PART)) }),
    () => ({
      what: 'a time is another one',
      at,
      drafts: drafts.with(i, { ...one, time: otherTime(one.time) })
    }),
    () => ({
      what: 'an event is gone',
      at,
      drafts: drafts.with(i, { ...one, parts: one.parts.slice(0, -2) })
    }),
    () => ({ what: 'a commit is cut out', at, drafts: drafts.toSpliced(i, 1) }),
    () => ({ what: 'the end is cut off', at: cut + 1, drafts: drafts.slice(0, cut) }),
    () => ({ what: 'two commits are swapped', at, drafts: drafts.with(i, next).with(i + 1, one) }),
    () => ({ what: 'a commit is put in', at, drafts: drafts.toSpliced(i, 0, withPart(PAYLOAD_PART)) }),
    () => ({ what: 'a commit is there twice', at, drafts: drafts.toSpliced(i, 0, one) })
  ]
  const way = ways[random.below(ways.length)]
  if (!way) throw new RangeError('there is no such way')
  return way()
}
