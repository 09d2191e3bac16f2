// A commit as the log keeps it: a header of commitments, which is what is hashed, and the parts that it commits to.
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { eventParts, sha256 } from '../codec.js'
import type { Commit, Event, Origin } from '../envelope.js'
import { fillRandom } from './salt.js'
import type { SecretsVault } from './secrets.js'

/**
 * The bytes of a record, numbers big-endian:
 *
 * - framing: CRC-32 of framing and header (4), length of the record (4), number of parts (4), length of the header (4); then of
 *   each part its length (4), its CRC-32 (4) and its state (1); and the byte 0x00. The framing is this server's own.
 * - header: version (1), index (8), hash of the record before (32), length of the time (1), the time; then of each part its kind (1)
 *   and its commitment (32), the SHA-256 of the part. It tells no length of a part. The record's hash is SHA-256(0x00 ‖ header),
 *   which is the header's leaf hash in RFC 9162, and is why that byte stands before it.
 * - the parts, each 16 random bytes of salt and then its text: so that a part can be erased or withheld, cannot be guessed, and every
 *   hash still holds.
 *
 * The parts are who asked (one, first), and then of each event its head, its payload and, if it has any, its secrets.
 */
export const RECORD_VERSION = 1
const LENGTH_AT = 4
const COUNT_AT = 8
const HEADER_LENGTH_AT = 12
const PARTS_AT = 16
const PART_FRAME = 9
const PART_STATE_AT = 8
const LEAF_PREFIX = 1
const HASH = 32
const INDEX_AT = 1
const BEFORE_AT = 9
const TIME_LENGTH_AT = BEFORE_AT + HASH
const TIME_AT = TIME_LENGTH_AT + 1
const COMMITMENT = 1 + HASH
const SALT = 16
/** The least bytes that a record has. */
export const LEAST_RECORD = PARTS_AT + LEAF_PREFIX + TIME_AT

/** Kinds of parts. */
const WHO = 1
const HEAD = 2
const PAYLOAD = 3
const SECRETS = 4

/** States of a part: its bytes are there. */
const PRESENT = 0

/** Bytes that records are written to, one behind the other; they grow as needed. */
export class RecordBuffer {
  bytes: Buffer
  end: number

  /** @param room bytes before the first record that are left free */
  constructor(room: number, size: number) {
    this.bytes = Buffer.allocUnsafe(size)
    this.end = room
  }

  /**
   * Writes the record of a commit at the end.
   * @param before hash of the record before it
   * @returns the hash of the record
   * @throws TypeError or RangeError when the commit cannot be written as JSON or is too long; nothing was written then
   */
  add(commit: Commit, before: Uint8Array, vault: SecretsVault): Buffer {
    const { kinds, bodies } = partsOf(commit, vault)
    const time = Buffer.from(commit.Time)
    if (time.length > 0xff) throw new RangeError('the time of a commit has at most 255 bytes')
    const start = this.end
    const headerAt = start + PARTS_AT + kinds.length * PART_FRAME + LEAF_PREFIX
    const headerEnd = headerAt + TIME_AT + time.length + kinds.length * COMMITMENT
    this.reserve(headerEnd + bodies.reduce((sum, body) => sum + SALT + roomFor(body), 0))
    const { bytes } = this
    bytes[headerAt - LEAF_PREFIX] = 0
    bytes[headerAt] = RECORD_VERSION
    writeIndex(bytes, commit.Index, headerAt + INDEX_AT)
    bytes.set(before, headerAt + BEFORE_AT)
    bytes[headerAt + TIME_LENGTH_AT] = time.length
    bytes.set(time, headerAt + TIME_AT)
    let commitment = headerAt + TIME_AT + time.length
    let frame = start + PARTS_AT
    let at = headerEnd
    for (let part = 0; part < kinds.length; part++) {
      const body = bodies[part] ?? ''
      fillRandom(bytes, at, SALT)
      const length =
        SALT +
        (typeof body === 'string'
          ? bytes.write(body, at + SALT)
          : body.copy(bytes, at + SALT, 0, body.length))
      const stored = bytes.subarray(at, at + length)
      bytes[commitment] = kinds[part] ?? 0
      bytes.write(hash('sha256', stored, 'binary'), commitment + 1, 'binary')
      bytes.writeUInt32BE(length, frame)
      bytes.writeUInt32BE(crc32(stored), frame + 4)
      bytes[frame + PART_STATE_AT] = PRESENT
      commitment += COMMITMENT
      frame += PART_FRAME
      at += length
    }
    bytes.writeUInt32BE(at - start, start + LENGTH_AT)
    bytes.writeUInt32BE(kinds.length, start + COUNT_AT)
    bytes.writeUInt32BE(headerEnd - headerAt, start + HEADER_LENGTH_AT)
    bytes.writeUInt32BE(crc32(bytes.subarray(start + LENGTH_AT, headerEnd)), start)
    this.end = at
    return sha256(bytes.subarray(headerAt - LEAF_PREFIX, headerEnd))
  }

  /** Makes room for so many bytes in all. */
  reserve(size: number): void {
    if (size <= this.bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(size, 2 * this.bytes.length))
    this.bytes.copy(grown, 0, 0, this.end)
    this.bytes = grown
  }
}

interface PartsToWrite {
  readonly kinds: readonly number[]
  readonly bodies: readonly (string | Buffer)[]
}

function partsOf(commit: Commit, vault: SecretsVault): PartsToWrite {
  const kinds = [WHO]
  const bodies: (string | Buffer)[] = [JSON.stringify(commit.By)]
  const parts = eventParts(commit)
  for (let i = 0; i < commit.Events.length; i++) {
    const { head = '', payload = '' } = parts[i] ?? {}
    kinds.push(HEAD, PAYLOAD)
    bodies.push(head, payload)
    const secrets = commit.Events[i]?.Secrets
    if (secrets === undefined) continue
    const place = { index: commit.Index, part: kinds.push(SECRETS) - 1 }
    bodies.push(vault.seal(JSON.stringify(secrets), place))
  }
  return { kinds, bodies }
}

/** An upper bound of the bytes of a text, without counting those of a short one. */
const roomFor = (body: string | Buffer): number =>
  typeof body !== 'string' ? body.length : body.length < 1024 ? 3 * body.length : Buffer.byteLength(body)

const writeIndex = (bytes: Buffer, index: number, at: number): void => {
  bytes.writeUInt16BE(0, at)
  bytes.writeUIntBE(index, at + 2, 6)
}
const readIndex = (bytes: Buffer, at: number): number => bytes.readUIntBE(at + 2, 6)

/** A part as it is stored. */
interface StoredPart {
  readonly kind: number
  readonly number: number
  /** Salt and body. */
  readonly stored: Buffer
}

/** A stored record, read in place: nothing is copied, and nothing is trusted before `fault` was asked. */
export class StoredRecord {
  readonly bytes: Buffer
  readonly #headerAt: number
  readonly #headerEnd: number

  /**
   * @param source begins with a record, and has at least its framing
   * @returns undefined when there is none: not even its length can be trusted
   */
  static at(source: Buffer): StoredRecord | undefined {
    if (source.length < LEAST_RECORD) return undefined
    const length = source.readUInt32BE(LENGTH_AT)
    const headerAt = PARTS_AT + source.readUInt32BE(COUNT_AT) * PART_FRAME + LEAF_PREFIX
    const headerEnd = headerAt + source.readUInt32BE(HEADER_LENGTH_AT)
    if (headerEnd > length || length > source.length || headerEnd - headerAt < TIME_AT) return undefined
    if (crc32(source.subarray(LENGTH_AT, headerEnd)) !== source.readUInt32BE(0)) return undefined
    return new StoredRecord(source.subarray(0, length), headerAt, headerEnd)
  }

  private constructor(bytes: Buffer, headerAt: number, headerEnd: number) {
    this.bytes = bytes
    this.#headerAt = headerAt
    this.#headerEnd = headerEnd
  }

  get index(): number {
    return readIndex(this.bytes, this.#headerAt + INDEX_AT)
  }

  get time(): string {
    const at = this.#headerAt + TIME_AT
    return this.bytes.toString('utf8', at, at + this.#timeLength)
  }

  /** The hash of the record before it that it names. */
  get before(): Buffer {
    const at = this.#headerAt + BEFORE_AT
    return this.bytes.subarray(at, at + HASH)
  }

  /** What the record after it names: the SHA-256 of 0x00 and the header. */
  get hash(): Buffer {
    return sha256(this.bytes.subarray(this.#headerAt - LEAF_PREFIX, this.#headerEnd))
  }

  /** What is wrong with the record by its checksums, as a clause; undefined for nothing. */
  fault(): string | undefined {
    const { bytes } = this
    if (bytes[this.#headerAt] !== RECORD_VERSION)
      return `the record is of version ${bytes[this.#headerAt]}, and this program reads ${RECORD_VERSION}`
    let at = this.#headerEnd
    for (let part = 0, frame = PARTS_AT; part < this.#count; part++, frame += PART_FRAME) {
      const end = at + bytes.readUInt32BE(frame)
      if (end > bytes.length || bytes[frame + PART_STATE_AT] !== PRESENT) return `part ${part} is not there`
      if (crc32(bytes.subarray(at, end)) !== bytes.readUInt32BE(frame + 4))
        return `the checksum of part ${part} does not hold`
      at = end
    }
    return at === bytes.length ? undefined : 'its parts are shorter than it is'
  }

  /** What is wrong with the parts by the header's commitments, as a clause; undefined for nothing. Costs a hash for each. */
  brokenCommitment(): string | undefined {
    let commitment = this.#commitmentsAt
    for (const { number, stored } of this.#parts()) {
      if (
        hash('sha256', stored, 'binary') !==
        this.bytes.toString('binary', commitment + 1, commitment + COMMITMENT)
      )
        return `part ${number} is not what the header commits to`
      commitment += COMMITMENT
    }
    return undefined
  }

  /** The commit that was written. @throws LogUnusable when its secrets cannot be opened, SyntaxError when a part is no JSON */
  commit(vault: SecretsVault): Commit {
    let by: Origin | undefined
    let head: StoredHead | undefined
    const events: Event[] = []
    const { index } = this
    for (const { kind, number, stored } of this.#parts())
      switch (kind) {
        case WHO:
          by = JSON.parse(textOf(stored))
          break
        case HEAD:
          head = JSON.parse(textOf(stored))
          break
        case PAYLOAD:
          if (head) events.push(eventOf(head, JSON.parse(textOf(stored))))
          break
        case SECRETS: {
          if (!vault.opens) break
          const event = events.pop()
          const json = vault.open(stored.subarray(SALT), { index, part: number })
          if (event) events.push({ ...event, Secrets: JSON.parse(json) })
        }
      }
    return { Index: index, Time: this.time, By: by ?? NOBODY, Events: events }
  }

  /** Opens its secrets without keeping them. @throws LogUnusable when one cannot be opened */
  tryToOpen(vault: SecretsVault): void {
    const { index } = this
    for (const { kind, number, stored } of this.#parts())
      if (kind === SECRETS) vault.open(stored.subarray(SALT), { index, part: number })
  }

  /** Where in its bytes the secrets are: start and end of each part. */
  *secrets(): Generator<readonly [start: number, end: number]> {
    for (const { kind, stored } of this.#parts()) {
      const start = stored.byteOffset - this.bytes.byteOffset
      if (kind === SECRETS) yield [start, start + stored.length]
    }
  }

  /** The heads of its events. @throws SyntaxError when one is no JSON */
  *heads(): Generator<StoredHead> {
    for (const { kind, stored } of this.#parts()) if (kind === HEAD) yield JSON.parse(textOf(stored))
  }

  get #count(): number {
    return this.bytes.readUInt32BE(COUNT_AT)
  }

  get #timeLength(): number {
    return this.bytes[this.#headerAt + TIME_LENGTH_AT] ?? 0
  }

  get #commitmentsAt(): number {
    return this.#headerAt + TIME_AT + this.#timeLength
  }

  *#parts(): Generator<StoredPart> {
    let at = this.#headerEnd
    let kindAt = this.#commitmentsAt
    for (let number = 0, frame = PARTS_AT; number < this.#count; number++, frame += PART_FRAME) {
      const end = at + this.bytes.readUInt32BE(frame)
      yield { kind: this.bytes[kindAt] ?? 0, number, stored: this.bytes.subarray(at, end) }
      kindAt += COMMITMENT
      at = end
    }
  }
}

const NOBODY: Origin = { AccessorID: '', Address: '', RequestID: '', Command: '' }

/** What the log tells of an event without its payload. */
export interface StoredHead extends Omit<Event, 'Partition' | 'Payload' | 'Secrets'> {
  /** Absent for `default`. */
  readonly Partition?: string
}

const textOf = (stored: Buffer): string => stored.toString('utf8', SALT)

const eventOf = (
  { Topic, Type, Key, Namespace, Partition = 'default', FilterKeys }: StoredHead,
  Payload: object
): Event => ({ Topic, Type, Key, Namespace, Partition, FilterKeys, Payload })
