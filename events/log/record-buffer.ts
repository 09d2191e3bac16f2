import { hash, randomFillSync } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { partsOfEvent, sha256 } from '../codec.js'
import type { Commit, Event } from '../envelope.js'
import type { HistoryEntries } from './history.js'
import { binaryNodeHash } from './evidence/merkle.js'
import { RootBuilderBy } from './evidence/proofs.js'
import * as format from './record-format.js'
import { writeNumber } from './numbers.js'
import type { SecretsVault } from './secrets.js'

/** Random bytes that are drawn at once. */
const SALT_BYTES = 16_384
/** Bytes that a code unit of a text takes at most. */
const LONGEST_UNIT = 3

/** Bytes that are reserved beyond an estimate, as a share of it. */
const MARGIN = 1 / 8

/** Bytes that records are written to, one behind the other; they grow as needed. */
export class RecordBuffer {
  bytes: Buffer
  /** Byte of the header of the record that is being written, and behind it. */
  #header = 0
  #headerEnd = 0
  #version = format.RECORD_VERSION
  /** Where its next part and the frame of that go. */
  #part = 0
  #frame = 0
  /** Where the part of the first event goes. */
  #firstEvent = 0
  /** Where the commitment of the next part goes in version 1, and the summary of the parts in version 2. */
  #commitments = 0
  readonly #root = new RootBuilderBy(binaryNodeHash)
  /** Random bytes from a cryptographic source. No byte is used twice. */
  readonly #salts = Buffer.allocUnsafe(SALT_BYTES)
  #usedSalts = SALT_BYTES
  /** Number of its next part. */
  #number = 0

  /** @param room bytes before the first record that are left free */
  constructor(
    public end: number,
    size: number
  ) {
    this.bytes = Buffer.allocUnsafe(size)
  }

  /**
   * Begins the record of a commit at the end, which `addEvents` and `finish` complete.
   * @param before hash of the record before it
   * @param eventParts the number of parts of its events
   * @throws RangeError when it is too long
   */
  begin(
    commit: Commit,
    before: Uint8Array,
    version = format.RECORD_VERSION,
    eventParts = partsOfEvents(commit.Events)
  ): void {
    const count = (commit.Answer === undefined ? 1 : 2) + eventParts
    if (count >= format.MOST_PARTS) throw new RangeError('a commit has too many events')
    const start = this.end
    const headerAt = start + format.PARTS_AT + count * format.PART_FRAME[version] + format.LEAF_PREFIX
    const timeAt = headerAt + format.TIME_AT
    const summary = version === 1 ? count * format.COMMITMENT : format.SUMMARY
    this.reserve(timeAt + LONGEST_UNIT * commit.Time.length + summary)
    const { bytes } = this
    const timeLength = bytes.write(commit.Time, timeAt)
    if (timeLength > 0xff) throw new RangeError('the time of a commit has at most 255 bytes')
    // The number of parts leaves the first byte free.
    bytes.writeUInt32BE(count, start + format.COUNT_AT)
    bytes[start + format.COUNT_AT] = format.FRAMING[version]
    bytes[headerAt - format.LEAF_PREFIX] = 0
    bytes[headerAt] = version
    writeNumber(bytes, commit.Index, headerAt + format.INDEX_AT)
    bytes.set(before, headerAt + format.PREVIOUS_HASH_AT)
    bytes[headerAt + format.TIME_LENGTH_AT] = timeLength
    this.#version = version
    this.#header = headerAt
    this.#frame = start + format.PARTS_AT
    this.#commitments = timeAt + timeLength
    this.#part = this.#headerEnd = this.#commitments + summary
    this.#number = 0
    if (version !== 1) {
      bytes.writeUInt32BE(commit.Events.length, this.#commitments)
      bytes.writeUInt32BE(count, this.#commitments + format.PART_COUNT_AT)
      this.#root.clear()
    }
    this.#addPart(format.ORIGIN_PART, commit.By.Erased ? undefined : JSON.stringify(commit.By))
    this.#firstEvent = this.#part
  }

  /**
   * Adds the next events of the commit.
   * @param from the number of events that have been added
   * @param entries receives an entry for each event
   * @throws TypeError or RangeError when they cannot be written as JSON or are too long
   */
  addEvents(commit: Commit, from: number, to: number, vault: SecretsVault, entries?: HistoryEntries): void {
    const { Index: index, Events } = commit
    if (from > 0) this.#reserveRest(from, Events.length)
    for (let i = from; i < to; i++) {
      const event = Events[i]
      if (!event) return
      const { head, payload } = partsOfEvent(commit, event, i)
      this.#addPart(format.EVENT_METADATA_PART, head)
      this.#addPart(format.PAYLOAD_PART, payload)
      entries?.add(event, index)
      const { Secrets: secrets } = event
      if (secrets !== undefined)
        this.#addPart(format.SECRETS_PART, vault.seal(JSON.stringify(secrets), { index, part: this.#number }))
    }
  }

  /** Completes the record of the commit, and returns its hash. @throws TypeError or RangeError as `addEvents` */
  finish({ Index: index, Answer }: Commit, vault: SecretsVault): Buffer {
    if (Answer !== undefined)
      this.#addPart(format.RESPONSE_PART, vault.seal(JSON.stringify(Answer), { index, part: this.#number }))
    const { bytes, end: start } = this
    const headerAt = this.#header
    const headerEnd = this.#headerEnd
    if (this.#version !== 1) bytes.write(this.#root.root, this.#commitments + format.ROOT_AT, 'binary')
    bytes.writeUInt32BE(this.#part - start, start + format.LENGTH_AT)
    bytes.writeUInt32BE(headerEnd - headerAt, start + format.HEADER_LENGTH_AT)
    bytes.writeUInt32BE(crc32(bytes.subarray(start + format.LENGTH_AT, headerEnd)), start)
    this.end = this.#part
    return sha256(bytes.subarray(headerAt - format.LEAF_PREFIX, headerEnd))
  }

  /** Reserves bytes for the remaining events by the length of the added ones, so that the buffer grows before it has much to copy. */
  #reserveRest(added: number, count: number): void {
    const rest = Math.ceil(((this.#part - this.#firstEvent) / added) * (count - added))
    if (this.#part + rest > this.bytes.length) this.reserve(this.#part + Math.ceil(rest * (1 + MARGIN)))
  }

  /** @param body undefined for what another log has erased, which is written as it is read */
  #addPart(kind: number, body: string | Buffer | undefined): void {
    const prefix = format.PART_PREFIX[this.#version]
    const at = this.#part + prefix
    const bodyAt = at + format.SALT
    // The bytes of a text that fits in any case are not counted.
    if (bodyAt + LONGEST_UNIT * (body?.length ?? 0) > this.bytes.length)
      this.reserve(bodyAt + Buffer.byteLength(body ?? ''))
    const { bytes } = this
    let end = bodyAt
    if (body === undefined) bytes.fill(format.ERASED_BYTE, at, bodyAt)
    else {
      if (this.#usedSalts === SALT_BYTES) {
        randomFillSync(this.#salts)
        this.#usedSalts = 0
      }
      this.#salts.copy(bytes, at, this.#usedSalts, (this.#usedSalts += format.SALT))
      end += typeof body === 'string' ? bytes.write(body, bodyAt) : body.copy(bytes, bodyAt)
    }
    bytes.writeUInt32BE(end - at, this.#frame)
    if (this.#version === 1) this.#commitOld(kind, bytes.subarray(at, end))
    else {
      bytes[at - 2] = 0
      bytes[at - 1] = bytes[this.#frame + format.KIND_AT] = kind
      const commitment = hash('sha256', bytes.subarray(at - prefix, end), 'binary')
      bytes.write(commitment, this.#frame + format.COMMITMENT_AT, 'binary')
      this.#root.add(commitment)
    }
    this.#frame += format.PART_FRAME[this.#version]
    this.#part = end
    this.#number++
  }

  /** Version 1. */
  #commitOld(kind: number, stored: Buffer): void {
    const { bytes } = this
    bytes[this.#commitments] = kind
    bytes.write(hash('sha256', stored, 'binary'), this.#commitments + 1, 'binary')
    bytes.writeUInt32BE(crc32(stored), this.#frame + format.CRC_AT)
    bytes[this.#frame + format.PART_STATE_AT] = format.PRESENT
    this.#commitments += format.COMMITMENT
  }

  /** Copies a whole record to the end, as it is. */
  copy(record: Buffer): void {
    this.reserve(this.end + record.length)
    record.copy(this.bytes, this.end)
    this.end += record.length
  }

  /** Makes room for so many bytes in all. */
  reserve(size: number): void {
    if (size <= this.bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(size, 2 * this.bytes.length))
    this.bytes.copy(grown, 0, 0, Math.max(this.end, this.#part))
    this.bytes = grown
  }
}

/** Returns the number of parts of events in a record. */
export const partsOfEvents = (events: readonly Event[]): number => {
  let count = 0
  for (const { Secrets } of events) count += Secrets === undefined ? 2 : 3
  return count
}
