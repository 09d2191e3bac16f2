// A window: the records that one append gave etcd, as the bytes of its values.
import { SharedMismatch } from '../cluster/shared-log.js'
import { GROUP_HEADER_RESERVE, type RecordGroup } from '../record-group.js'

/** Bytes of one value. etcd takes requests of 1.5 MiB. */
export const MOST_BYTES = 1.25 * 1024 * 1024

/** In front of the records of a window. */
const WHOLE = 1
/** In front of what stands for a window whose records are in pieces: the try that they are of, and how many they are. */
const IN_PIECES = 2
/** Of a try, as `newNonce` makes it. */
const ATTEMPT_BYTES = 16

/** The value of a window whose records are in it. */
export const wholeWindow = (records: Uint8Array): Buffer => Buffer.concat([Buffer.of(WHOLE), records])

/** The value of a window whose records are in pieces. */
export function windowInPieces(attempt: string, pieces: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(pieces)
  return Buffer.concat([Buffer.of(IN_PIECES), Buffer.from(attempt, 'hex'), count])
}

/** The records of a group, one behind the other; they belong to the group. */
export const recordBytes = (group: RecordGroup): Buffer => group.bytes().subarray(GROUP_HEADER_RESERVE)

/** Bytes in portions that fit a value each. */
export function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += MOST_BYTES) yield bytes.subarray(at, at + MOST_BYTES)
}

/** What the value of a window says: its records, or where they are. @throws SharedMismatch */
export function readWindow(
  value: Buffer
): { readonly records: Buffer } | { readonly attempt: string; readonly pieces: number } {
  if (value[0] === WHOLE) return { records: value.subarray(1) }
  const countAt = 1 + ATTEMPT_BYTES
  if (value[0] !== IN_PIECES || value.length !== countAt + 4)
    throw new SharedMismatch('etcd holds a window that this version cannot read')
  return { attempt: value.toString('hex', 1, countAt), pieces: value.readUInt32BE(countAt) }
}
