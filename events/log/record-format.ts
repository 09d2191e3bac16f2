// Where the fields of a record are.

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
 * The parts are who asked (one, first), then of each event its head, its payload and, if it has any, its secrets; and last, where one
 * was kept, the answer.
 */
export const RECORD_VERSION = 1
export const LENGTH_AT = 4
export const COUNT_AT = 8
export const HEADER_LENGTH_AT = 12
export const PARTS_AT = 16
export const PART_FRAME = 9
export const PART_STATE_AT = 8
export const LEAF_PREFIX = 1
export const HASH = 32
export const INDEX_AT = 1
export const PREVIOUS_HASH_AT = 9
export const TIME_LENGTH_AT = PREVIOUS_HASH_AT + HASH
export const TIME_AT = TIME_LENGTH_AT + 1
export const COMMITMENT = 1 + HASH
export const SALT = 16
/** The least bytes that a record has. */
export const MIN_RECORD_BYTES = PARTS_AT + LEAF_PREFIX + TIME_AT

/** Kinds of parts. */
export const ORIGIN_PART = 1
export const EVENT_METADATA_PART = 2
export const PAYLOAD_PART = 3
export const SECRETS_PART = 4
/** Sealed as secrets are. */
export const RESPONSE_PART = 5

/** Where a part of a record is. */
export interface PartPosition {
  /** One of the kinds above. */
  readonly kind: number
  /** Of the part in its record. */
  readonly number: number
  /** Number of the event that it is of; -1 for who asked, and for the answer. */
  readonly event: number
  /** Bytes of the record. */
  readonly start: number
  readonly end: number
  readonly isErased: boolean
}

/** Whether a part of a kind is sealed with the keys of the log. */
export const isSealed = (kind: number): boolean => kind === SECRETS_PART || kind === RESPONSE_PART

/**
 * States of a part. One that was erased is in the state that it had, and all its bytes are `ERASED_BYTE`, which its salt makes sure that they never
 * were: so it can be erased where it lies, in one place, and everything else of the record stays as it is.
 */
export const PRESENT = 0

/** What stands in place of each byte of an erased part. No zero: those are what a failing disk leaves. */
export const ERASED_BYTE = 0xe5

/** Whether a part was erased. @param stored salt and body */
export function isErased(stored: Uint8Array): boolean {
  if (stored.length < SALT) return false
  for (const byte of stored) if (byte !== ERASED_BYTE) return false
  return true
}
