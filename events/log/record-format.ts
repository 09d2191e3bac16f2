// Where the fields of a record are.

/**
 * The bytes of a record, numbers big-endian:
 *
 * - framing: CRC-32 of framing and header (4), length of the record (4), `FRAMING` (1; 0 in version 1), number of parts (3), length of
 *   the header (4); then a frame of each part; and the byte 0x00. The framing is this server's own, but for the commitments in it.
 * - header: version (1), index (8), hash of the record before (32), length of the time (1), the time, number of events (4), number of
 *   parts (4), root (32). The record's hash is SHA-256(0x00 ‖ header), which is the header's leaf hash in RFC 9162, and is why that byte
 *   stands before it. The root is that of RFC 9162 over the parts, whose leaves are kind ‖ salt ‖ text, so that it tells no length.
 * - the parts, each 0x00, its kind (1), 16 random bytes of salt and then its text: so that a part can be erased or withheld, cannot be
 *   guessed, and every hash still holds. The leaf hash of a part is its commitment.
 *
 * The frame of a part: length of salt and text (4), kind (1), commitment (32).
 *
 * The parts are who asked (one, first), then of each event its head, its payload and, if it has any, its secrets; and last, where one
 * was kept, the answer. With the number of events this order tells the kinds of parts that are withheld.
 *
 * Version 1, which logs that began with it still write: the header ends with kind (1) and commitment (32) of each part, the commitment
 * is SHA-256(salt ‖ text), the frame is length (4), CRC-32 (4) and state (1), and nothing is between the parts.
 */
export type RecordVersion = 1 | 2
/** Of the records of new logs. */
export const RECORD_VERSION: RecordVersion = 2
export const LENGTH_AT = 4
export const COUNT_AT = 8
export const HEADER_LENGTH_AT = 12
export const PARTS_AT = 16
export const LEAF_PREFIX = 1
export const HASH = 32
export const INDEX_AT = 1
export const PREVIOUS_HASH_AT = 9
export const TIME_LENGTH_AT = PREVIOUS_HASH_AT + HASH
export const TIME_AT = TIME_LENGTH_AT + 1
export const SALT = 16
/** The least bytes that a record has. */
export const MIN_RECORD_BYTES = PARTS_AT + LEAF_PREFIX + TIME_AT

/** First byte of the field at `COUNT_AT`, by version. */
export const FRAMING = { 1: 0, 2: 2 } as const
const FRAMING_BIT = 2 ** 24
/** Exclusive. */
export const MOST_PARTS = FRAMING_BIT

/** Version and number of parts that the field at `COUNT_AT` tells; undefined for a version that this program does not read. */
export function parseFraming(
  field: number
): { readonly version: RecordVersion; readonly count: number } | undefined {
  const count = field % FRAMING_BIT
  if (field === count) return { version: 1, count }
  return field - count === FRAMING[2] * FRAMING_BIT ? { version: 2, count } : undefined
}

/** Version 1. Within the frame of a part, whose state is always `PRESENT`; and bytes of a part in the header. */
export const CRC_AT = 4
export const PART_STATE_AT = 8
export const PRESENT = 0
export const COMMITMENT = 1 + HASH

/** Version 2. Within the frame of a part. */
export const KIND_AT = 4
export const COMMITMENT_AT = 5
/** Version 2. Within the header, behind the time. */
export const PART_COUNT_AT = 4
export const ROOT_AT = 8
export const SUMMARY = ROOT_AT + HASH

/** Bytes of the frame of a part. */
export const PART_FRAME = { 1: PART_STATE_AT + 1, 2: COMMITMENT_AT + HASH } as const
/** Bytes in front of the salt of a part. */
export const PART_PREFIX = { 1: 0, 2: 2 } as const

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
 * What stands in place of each byte of an erased part, which its salt makes sure that they never were: so it can be erased where it lies,
 * and everything else of the record stays as it is. No zero: those are what a failing disk leaves.
 */
export const ERASED_BYTE = 0xe5

/** Whether a part was erased. @param stored salt and body */
export function isErased(stored: Uint8Array): boolean {
  if (stored.length < SALT) return false
  for (const byte of stored) if (byte !== ERASED_BYTE) return false
  return true
}

/** Bytes of a group before its records, for what a store writes in front of them. */
export const GROUP_HEADER_RESERVE = 64
