import { hash, randomFillSync } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { eventParts, sha256 } from '../codec.js'
import type { Commit } from '../envelope.js'
import * as format from './record-format.js'
import { writeNumber } from './numbers.js'
import type { SecretsVault } from './secrets.js'

const POOL_BYTES = 16_384

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** Writes fresh random bytes from a cryptographic source, at most 4,096. No byte is handed out twice. */
const fillRandom = (target: Buffer, at: number, bytes: number): void => {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  pool.copy(target, at, used, used + bytes)
  used += bytes
}

/** Bytes that records are written to, one behind the other; they grow as needed. */
export class RecordBuffer {
  bytes: Buffer

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
   * @returns the hash of the record
   * @throws TypeError or RangeError when the commit cannot be written as JSON or is too long; nothing was written then
   */
  add(commit: Commit, before: Uint8Array, vault: SecretsVault): Buffer {
    const { kinds, bodies } = partsOf(commit, vault)
    const time = Buffer.from(commit.Time)
    if (time.length > 0xff) throw new RangeError('the time of a commit has at most 255 bytes')
    const start = this.end
    const headerAt = start + format.PARTS_AT + kinds.length * format.PART_FRAME + format.LEAF_PREFIX
    const headerEnd = headerAt + format.TIME_AT + time.length + kinds.length * format.COMMITMENT
    this.reserve(headerEnd + bodies.reduce((sum, body) => sum + format.SALT + roomFor(body ?? ''), 0))
    const { bytes } = this
    bytes[headerAt - format.LEAF_PREFIX] = 0
    bytes[headerAt] = format.RECORD_VERSION
    writeNumber(bytes, commit.Index, headerAt + format.INDEX_AT)
    bytes.set(before, headerAt + format.PREVIOUS_HASH_AT)
    bytes[headerAt + format.TIME_LENGTH_AT] = time.length
    bytes.set(time, headerAt + format.TIME_AT)
    let commitment = headerAt + format.TIME_AT + time.length
    let frame = start + format.PARTS_AT
    let at = headerEnd
    for (let part = 0; part < kinds.length; part++) {
      const body = bodies[part]
      // What another log has erased is written as it is read.
      if (body === undefined) bytes.fill(format.ERASED_BYTE, at, at + format.SALT)
      else fillRandom(bytes, at, format.SALT)
      const length = format.SALT + (body === undefined ? 0 : writeBody(bytes, at + format.SALT, body))
      const stored = bytes.subarray(at, at + length)
      bytes[commitment] = kinds[part] ?? 0
      bytes.write(hash('sha256', stored, 'binary'), commitment + 1, 'binary')
      bytes.writeUInt32BE(length, frame)
      bytes.writeUInt32BE(crc32(stored), frame + 4)
      bytes[frame + format.PART_STATE_AT] = format.PRESENT
      commitment += format.COMMITMENT
      frame += format.PART_FRAME
      at += length
    }
    bytes.writeUInt32BE(at - start, start + format.LENGTH_AT)
    bytes.writeUInt32BE(kinds.length, start + format.COUNT_AT)
    bytes.writeUInt32BE(headerEnd - headerAt, start + format.HEADER_LENGTH_AT)
    bytes.writeUInt32BE(crc32(bytes.subarray(start + format.LENGTH_AT, headerEnd)), start)
    this.end = at
    return sha256(bytes.subarray(headerAt - format.LEAF_PREFIX, headerEnd))
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
    this.bytes.copy(grown, 0, 0, this.end)
    this.bytes = grown
  }
}

interface PartsToWrite {
  readonly kinds: readonly number[]
  /** Undefined for what was erased. */
  readonly bodies: readonly (string | Buffer | undefined)[]
}

/** @returns how many bytes that is */
const writeBody = (bytes: Buffer, at: number, body: string | Buffer): number =>
  typeof body === 'string' ? bytes.write(body, at) : body.copy(bytes, at)

function partsOf(commit: Commit, vault: SecretsVault): PartsToWrite {
  const kinds = [format.ORIGIN_PART]
  const bodies: (string | Buffer | undefined)[] = [commit.By.Erased ? undefined : JSON.stringify(commit.By)]
  const parts = eventParts(commit)
  for (let i = 0; i < commit.Events.length; i++) {
    const { head = '', payload } = parts[i] ?? {}
    kinds.push(format.EVENT_METADATA_PART, format.PAYLOAD_PART)
    bodies.push(head, payload)
    const secrets = commit.Events[i]?.Secrets
    if (secrets === undefined) continue
    const place = { index: commit.Index, part: kinds.push(format.SECRETS_PART) - 1 }
    bodies.push(vault.seal(JSON.stringify(secrets), place))
  }
  if (commit.Answer !== undefined) {
    const place = { index: commit.Index, part: kinds.push(format.RESPONSE_PART) - 1 }
    bodies.push(vault.seal(JSON.stringify(commit.Answer), place))
  }
  return { kinds, bodies }
}

/** An upper bound of the bytes of a text, without counting those of a short one. */
const roomFor = (body: string | Buffer): number =>
  typeof body !== 'string' ? body.length : body.length < 1024 ? 3 * body.length : Buffer.byteLength(body)
