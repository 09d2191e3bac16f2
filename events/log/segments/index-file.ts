// The index file of a sealed segment: the positions of its groups, and the resources, topics, event kinds, filter
// keys, accessors and source addresses in it.
// A missing or damaged file is rebuilt from the segment.
import type { RecordVersion } from '../record-format.js'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { isMissingFile, orUndefined } from '../../errors.js'
import type { EventKind } from '../../stored.js'
import { readAll, readBytes, replaceFile, withFile, type Disk, type DiskFile } from '../disk-port.js'
import type { HistoryEntries } from '../history.js'
import { indexName } from './pack-format.js'
import { type Segment, GroupIndex } from './segment.js'

/** Opens the file at the first read. */
class PersistentFileHandle {
  #file: Promise<DiskFile> | undefined
  #readers = 0
  #isDropped = false

  constructor(
    private readonly disk: Disk,
    private readonly name: string
  ) {}

  /** Returns the result of `read`, or undefined if the file does not exist. */
  async use<T>(read: (file: DiskFile) => Promise<T>): Promise<T | undefined> {
    this.#readers++
    try {
      const opening = (this.#file ??= this.disk.open(this.name, 'read'))
      opening.catch(() => (this.#file = undefined))
      const file = await orUndefined(opening, isMissingFile)
      return file && (await read(file))
    } finally {
      this.#readers--
      await this.#closeIfUnused()
    }
  }

  /** Closes the file after the last read that is under way. */
  drop(): Promise<void> {
    this.#isDropped = true
    return this.#closeIfUnused()
  }

  async #closeIfUnused(): Promise<void> {
    if (!this.#isDropped || this.#readers > 0) return
    const file = this.#file
    this.#file = undefined
    await file?.then(opened => opened.close()).catch(() => {})
  }
}

const VERSION = 5
const MAGIC = Buffer.from('ANNALIDX')
const CRC_AT = 8
const VERSION_AT = 12
const ID_AT = 16
const ID_BYTES = 16
const GENERATION_AT = 32
const PLACES_AT = 36
const FIRST_AT = 40
const LAST_AT = 48
const END_AT = 56
const ENTRIES_AT = 64
const BITS_AT = 68
const WORDS_AT = 72
const RECORDS_AT = 76
const HASH_AT = 80
const HASH_BYTES = 32
const TABLES_AT = HASH_AT + HASH_BYTES
const PAIR = 8
/** Buckets that are written before other work has its turn. */
const BUCKETS_PER_TURN = 256
/** Entries in a bucket, about. */
const BUCKET = 64
const MOST_BITS = 16
/** A hash and the place of a commit in its segment in one double. */
const PLACE_SPAN = 2 ** 21

/** What a sealed segment holds, as found when it was written or walked over. */
export interface SegmentContent {
  readonly sparse: GroupIndex
  readonly entries: HistoryEntries
  /** Byte behind its last group that counts. */
  readonly end: number
  /** Hash of its last commit that counts. */
  readonly hash: Uint8Array
  /** Of that commit's record, when the segment was read. */
  readonly version?: RecordVersion | undefined
}

/** What stands in the file as JSON. */
interface Words {
  readonly topics: readonly string[]
  readonly kinds?: readonly EventKind[] | undefined
}

/** Makes the file of a segment; durable when it resolves. */
export async function writeIndex(disk: Disk, segment: Segment, content: SegmentContent): Promise<void> {
  await replaceFile(disk, indexName(segment.name), await encode(segment, content))
}

/**
 * The bytes: magic, CRC-32 of what follows up to the entries, what identifies the segment, and counts; then pairs of numbers of 4 bytes:
 * commit (from the first) and byte of a group, and in the same form of records; then for each bucket of hashes the number of entries before it and the CRC-32 of its
 * entries; then as JSON the topics, and the kinds of events unless they are many; then the entries in ascending order: hash and commit (from the first). Each filter key that occurs has one
 * entry, at the first commit. An accessor or address of more than `MOST_LISTED` commits has entries for the first ones only.
 */
async function encode(segment: Segment, { sparse, entries, end, hash }: SegmentContent): Promise<Buffer> {
  const all = entriesOf(segment, entries)
  await setImmediate()
  const count = all.length
  const bits = Math.min(MOST_BITS, Math.max(0, Math.ceil(Math.log2(count / BUCKET || 1))))
  const words: Words = { topics: [...entries.topics], kinds: entries.kinds }
  const text = Buffer.from(JSON.stringify(words))
  const places = [...sparse.places, ...sparse.records]
  const bucketsAt = TABLES_AT + places.length * PAIR
  const textAt = bucketsAt + PAIR * 2 ** bits
  const entriesAt = textAt + text.length
  const bytes = Buffer.alloc(entriesAt + count * PAIR)
  MAGIC.copy(bytes)
  bytes.writeUInt32BE(VERSION, VERSION_AT)
  bytes.write(segment.id, ID_AT, ID_BYTES, 'hex')
  bytes.writeUInt32BE(segment.generation, GENERATION_AT)
  bytes.writeUInt32BE(sparse.places.length, PLACES_AT)
  bytes.writeBigUInt64BE(BigInt(segment.first), FIRST_AT)
  bytes.writeBigUInt64BE(BigInt(segment.last), LAST_AT)
  bytes.writeBigUInt64BE(BigInt(end), END_AT)
  bytes.writeUInt32BE(count, ENTRIES_AT)
  bytes.writeUInt32BE(bits, BITS_AT)
  bytes.writeUInt32BE(text.length, WORDS_AT)
  bytes.writeUInt32BE(sparse.records.length, RECORDS_AT)
  bytes.set(hash, HASH_AT)
  for (const [i, { first, offset }] of places.entries()) {
    bytes.writeUInt32BE(first - segment.first, TABLES_AT + i * PAIR)
    bytes.writeUInt32BE(offset, TABLES_AT + i * PAIR + 4)
  }
  text.copy(bytes, textAt)
  let start = 0
  for (const [bucket, sorted] of sortedBuckets(all, bits)) {
    let at = entriesAt + start * PAIR
    for (const entry of sorted) {
      bytes.writeUInt32BE(hashIn(entry), at)
      bytes.writeUInt32BE(entry % PLACE_SPAN, at + 4)
      at += PAIR
    }
    bytes.writeUInt32BE(start, bucketsAt + bucket * PAIR)
    bytes.writeUInt32BE(crc32(bytes.subarray(entriesAt + start * PAIR, at)), bucketsAt + bucket * PAIR + 4)
    start += sorted.length
    if (bucket % BUCKETS_PER_TURN === 0) await setImmediate()
  }
  bytes.writeUInt32BE(crc32(bytes.subarray(VERSION_AT, entriesAt)), CRC_AT)
  return bytes
}

const hashIn = (entry: number): number => Math.floor(entry / PLACE_SPAN)

/** Of hash and commit (from the first) in one number. */
function entriesOf({ first }: Segment, entries: HistoryEntries): Float64Array {
  const { hashes, indexes, filterKeys, origins } = entries
  const others = Array.from(filterKeys, hash => hash * PLACE_SPAN)
  for (const [hash, commits] of origins.listed())
    for (const index of commits) others.push(hash * PLACE_SPAN + index - first)
  const all = new Float64Array(hashes.length + others.length)
  for (let i = 0; i < hashes.length; i++) all[i] = (hashes[i] ?? 0) * PLACE_SPAN + (indexes[i] ?? 0) - first
  all.set(others, hashes.length)
  return all
}

/** Yields each bucket with its entries in ascending order. They are sorted by bucket, since a sort of all would hold the thread. */
function* sortedBuckets(all: Float64Array, bits: number): Generator<readonly [number, Float64Array]> {
  const ends = new Uint32Array(2 ** bits)
  for (const entry of all) ends[bucketOf(hashIn(entry), bits)]!++
  for (let bucket = 1; bucket < ends.length; bucket++) ends[bucket]! += ends[bucket - 1]!
  const starts = ends.map((_, bucket) => ends[bucket - 1] ?? 0)
  const next = starts.slice()
  const grouped = new Float64Array(all.length)
  for (const entry of all) grouped[next[bucketOf(hashIn(entry), bits)]!++] = entry
  for (const [bucket, start] of starts.entries()) {
    const own = grouped.subarray(start, ends[bucket])
    own.sort()
    yield [bucket, own]
  }
}

const bucketOf = (hash: number, bits: number): number => (bits === 0 ? 0 : hash >>> (32 - bits))

/** The file of a segment, of which all but the entries is in memory: some kilobytes. */
export class IndexFile {
  readonly sparse = new GroupIndex()
  readonly topics: ReadonlySet<string>
  /** Kinds of its events; undefined when they are many. */
  readonly kinds: readonly EventKind[] | undefined
  readonly end: number
  readonly hash: Buffer
  readonly #file: PersistentFileHandle
  readonly #bits: number
  readonly #bucketsAt: number
  readonly #count: number

  /** Undefined when there is none, or it is not this segment's as it is now, or is damaged. */
  static open(disk: Disk, segment: Segment): Promise<IndexFile | undefined> {
    const read = async (file: DiskFile): Promise<IndexFile | undefined> => {
      const header = await readBytes(file, TABLES_AT)
      if (header.length < TABLES_AT) return undefined
      const size =
        TABLES_AT +
        (header.readUInt32BE(PLACES_AT) + header.readUInt32BE(RECORDS_AT)) * PAIR +
        PAIR * 2 ** Math.min(header.readUInt32BE(BITS_AT), MOST_BITS) +
        header.readUInt32BE(WORDS_AT)
      if (size > (await file.size())) return undefined
      const tables = await readBytes(file, size)
      return isOf(segment, tables) ? new IndexFile(disk, segment, tables) : undefined
    }
    return orUndefined(withFile(disk, indexName(segment.name), read), isMissingFile)
  }

  private constructor(
    disk: Disk,
    private readonly segment: Segment,
    private readonly tables: Buffer
  ) {
    this.#file = new PersistentFileHandle(disk, indexName(segment.name))
    this.#bits = tables.readUInt32BE(BITS_AT)
    this.#count = tables.readUInt32BE(ENTRIES_AT)
    this.end = Number(tables.readBigUInt64BE(END_AT))
    this.hash = tables.subarray(HASH_AT, HASH_AT + HASH_BYTES)
    const recordsAt = TABLES_AT + tables.readUInt32BE(PLACES_AT) * PAIR
    this.#bucketsAt = recordsAt + tables.readUInt32BE(RECORDS_AT) * PAIR
    for (let at = TABLES_AT; at < this.#bucketsAt; at += PAIR)
      (at < recordsAt ? this.sparse.places : this.sparse.records).push({
        first: segment.first + tables.readUInt32BE(at),
        offset: tables.readUInt32BE(at + 4)
      })
    const { topics, kinds }: Words = JSON.parse(
      tables.toString('utf8', this.#bucketsAt + PAIR * 2 ** this.#bits)
    )
    this.topics = new Set(topics)
    this.kinds = kinds
  }

  close(): Promise<void> {
    return this.#file.drop()
  }

  /** Ascending indexes of the commits with this hash; undefined when that part of the file is damaged or gone. */
  async find(hash: number): Promise<readonly number[] | undefined> {
    const bucket = bucketOf(hash, this.#bits)
    const at = this.#bucketsAt + bucket * PAIR
    const start = this.tables.readUInt32BE(at)
    const next = bucket + 1 < 2 ** this.#bits ? this.tables.readUInt32BE(at + PAIR) : this.#count
    const own = Buffer.alloc((next - start) * PAIR)
    const got = await this.#file.use(file => readAll(file, own, this.tables.length + start * PAIR))
    if (got !== own.length || crc32(own) !== this.tables.readUInt32BE(at + 4)) return undefined
    const found: number[] = []
    for (let i = 0; i < own.length; i += PAIR) {
      const index = this.segment.first + own.readUInt32BE(i + 4)
      if (own.readUInt32BE(i) === hash && found.at(-1) !== index) found.push(index)
    }
    return found
  }
}

const isOf = (segment: Segment, tables: Buffer): boolean =>
  tables.subarray(0, MAGIC.length).equals(MAGIC) &&
  crc32(tables.subarray(VERSION_AT)) === tables.readUInt32BE(CRC_AT) &&
  tables.readUInt32BE(VERSION_AT) === VERSION &&
  tables.toString('hex', ID_AT, ID_AT + ID_BYTES) === segment.id &&
  tables.readUInt32BE(GENERATION_AT) === segment.generation &&
  Number(tables.readBigUInt64BE(FIRST_AT)) === segment.first &&
  Number(tables.readBigUInt64BE(LAST_AT)) === segment.last
