// A window: the records that one append gave etcd, as the bytes of its values.
import { SharedMismatch } from '../cluster/shared-log.js'
import { GROUP_ROOM, type RecordGroup } from '../group.js'
import { StoredRecord } from '../record.js'

/** Bytes of one value. etcd takes requests of 1.5 MiB. */
export const MOST_BYTES = 1.25 * 1024 * 1024

/** In front of the records of a window. */
const WHOLE = 1
/** In front of what stands for a window whose records are in pieces: its epoch, and how many they are. */
const IN_PIECES = 2
const EPOCH_BYTES = 8

/** The value of a window whose records are in it. */
export const wholeWindow = (records: Uint8Array): Buffer => Buffer.concat([Buffer.of(WHOLE), records])

/** The value of a window whose records are in pieces. */
export function windowInPieces(epoch: number, pieces: number): Buffer {
  const value = Buffer.alloc(1 + EPOCH_BYTES + 4)
  value[0] = IN_PIECES
  value.writeBigUInt64BE(BigInt(epoch), 1)
  value.writeUInt32BE(pieces, 1 + EPOCH_BYTES)
  return value
}

/** The records of a group, one behind the other; they belong to the group. */
export const recordBytes = (group: RecordGroup): Buffer => group.bytes().subarray(GROUP_ROOM)

/** Bytes in portions that fit a value each. */
export function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += MOST_BYTES) yield bytes.subarray(at, at + MOST_BYTES)
}

/** What the value of a window says: its records, or where they are. @throws SharedMismatch */
export function readWindow(
  value: Buffer
): { readonly records: Buffer } | { readonly epoch: number; readonly pieces: number } {
  if (value[0] === WHOLE) return { records: value.subarray(1) }
  if (value[0] !== IN_PIECES || value.length !== 1 + EPOCH_BYTES + 4)
    throw new SharedMismatch('etcd holds a window that this version cannot read')
  return { epoch: Number(value.readBigUInt64BE(1)), pieces: value.readUInt32BE(1 + EPOCH_BYTES) }
}

/** The records that are one behind the other in bytes. @throws SharedMismatch when they are not */
export function recordsIn(bytes: Buffer): StoredRecord[] {
  const records: StoredRecord[] = []
  for (let at = 0; at < bytes.length;) {
    const record = StoredRecord.at(bytes.subarray(at))
    if (!record) throw new SharedMismatch('etcd holds a record that is damaged')
    records.push(record)
    at += record.bytes.length
  }
  return records
}
