import { hash, randomFillSync } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { eventParts, sha256 } from '../codec.js'
import type { Commit } from '../envelope.js'
import type { HistoryEntries } from './history.js'
import * as format from './record-format.js'
import { writeNumber } from './numbers.js'
import type { SecretsVault } from './secrets.js'

const POOL_BYTES = 16_384
/** Bytes that a code unit of a text takes at most. */
const LONGEST_UNIT = 3

/** Random bytes from a cryptographic source. No byte is used twice. */
const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** Bytes that records are written to, one behind the other; they grow as needed. */
export class RecordBuffer {
  bytes: Buffer
  /** Where the next part of the record, its frame and its commitment go. */
  #part = 0
  #frame = 0
  #commitment = 0

  /** @param room bytes before the first record that are left free */
  constructor(
    public end: number,
    size: number
  ) {
    this.bytes = Buffer.allocUnsafe(size)
  }

  /**
   * Writes the record of a commit at the end.
   * @param before hash of the record before it
   * @param entries receives an entry for each event
   * @returns the hash of the record
   * @throws TypeError or RangeError when the commit cannot be written as JSON or is too long; nothing was written then
   */
  add(commit: Commit, before: Uint8Array, vault: SecretsVault, entries?: HistoryEntries): Buffer {
    const count = partCountOf(commit)
    const start = this.end
    const headerAt = start + format.PARTS_AT + count * format.PART_FRAME + format.LEAF_PREFIX
    const timeAt = headerAt + format.TIME_AT
    this.reserve(timeAt + LONGEST_UNIT * commit.Time.length + count * format.COMMITMENT)
    const timeLength = this.bytes.write(commit.Time, timeAt)
    if (timeLength > 0xff) throw new RangeError('the time of a commit has at most 255 bytes')
    this.#frame = start + format.PARTS_AT
    this.#commitment = timeAt + timeLength
    const headerEnd = this.#commitment + count * format.COMMITMENT
    this.#part = headerEnd
    this.#addParts(commit, vault, entries)
    const { bytes } = this
    bytes[headerAt - format.LEAF_PREFIX] = 0
    bytes[headerAt] = format.RECORD_VERSION
    writeNumber(bytes, commit.Index, headerAt + format.INDEX_AT)
    bytes.set(before, headerAt + format.PREVIOUS_HASH_AT)
    bytes[headerAt + format.TIME_LENGTH_AT] = timeLength
    bytes.writeUInt32BE(this.#part - start, start + format.LENGTH_AT)
    bytes.writeUInt32BE(count, start + format.COUNT_AT)
    bytes.writeUInt32BE(headerEnd - headerAt, start + format.HEADER_LENGTH_AT)
    bytes.writeUInt32BE(crc32(bytes.subarray(start + format.LENGTH_AT, headerEnd)), start)
    this.end = this.#part
    return sha256(bytes.subarray(headerAt - format.LEAF_PREFIX, headerEnd))
  }

  #addParts(commit: Commit, vault: SecretsVault, entries: HistoryEntries | undefined): void {
    const { Index: index, By, Events, Answer } = commit
    const texts = eventParts(commit)
    this.#addPart(format.ORIGIN_PART, By.Erased ? undefined : JSON.stringify(By))
    let part = 1
    for (let i = 0; i < Events.length; i++) {
      const { head = '', payload } = texts[i] ?? {}
      this.#addPart(format.EVENT_METADATA_PART, head)
      this.#addPart(format.PAYLOAD_PART, payload)
      part += 2
      const event = Events[i]
      if (event) entries?.add(event, index)
      const secrets = event?.Secrets
      if (secrets === undefined) continue
      this.#addPart(format.SECRETS_PART, vault.seal(JSON.stringify(secrets), { index, part }))
      part++
    }
    if (Answer === undefined) return
    this.#addPart(format.RESPONSE_PART, vault.seal(JSON.stringify(Answer), { index, part }))
  }

  /** @param body undefined for what another log has erased, which is written as it is read */
  #addPart(kind: number, body: string | Buffer | undefined): void {
    const at = this.#part
    const bodyAt = at + format.SALT
    // The bytes of a text that fits in any case are not counted.
    if (bodyAt + LONGEST_UNIT * (body?.length ?? 0) > this.bytes.length)
      this.reserve(bodyAt + Buffer.byteLength(body ?? ''))
    const { bytes } = this
    let end = bodyAt
    if (body === undefined) bytes.fill(format.ERASED_BYTE, at, bodyAt)
    else {
      if (used === POOL_BYTES) {
        randomFillSync(pool)
        used = 0
      }
      pool.copy(bytes, at, used, (used += format.SALT))
      end += typeof body === 'string' ? bytes.write(body, bodyAt) : body.copy(bytes, bodyAt)
    }
    const stored = bytes.subarray(at, end)
    bytes[this.#commitment] = kind
    bytes.write(hash('sha256', stored, 'binary'), this.#commitment + 1, 'binary')
    bytes.writeUInt32BE(end - at, this.#frame)
    bytes.writeUInt32BE(crc32(stored), this.#frame + 4)
    bytes[this.#frame + format.PART_STATE_AT] = format.PRESENT
    this.#commitment += format.COMMITMENT
    this.#frame += format.PART_FRAME
    this.#part = end
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
    this.bytes.copy(grown)
    this.bytes = grown
  }
}

const partCountOf = ({ Events, Answer }: Commit): number => {
  let count = Answer === undefined ? 1 : 2
  for (const { Secrets } of Events) count += Secrets === undefined ? 2 : 3
  return count
}
