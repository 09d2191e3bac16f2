// A batch of records as the journal holds it: whole or not at all.
import { previousHash, sha256 } from '../codec.js'
import type { StoredRecord } from './store.js'

/**
 * What is written in one piece: 32 bytes SHA-256 of all that follows, the magic number, the length of all, the number of
 * records, the index of the first; then of each record the length, the length of its secrets (0 when it has none), and
 * both. The numbers are of 4 bytes, the index of 8, all big-endian.
 */
const HASH_BYTES = 32
const MAGIC_AT = HASH_BYTES
const LENGTH_AT = MAGIC_AT + 4
const COUNT_AT = LENGTH_AT + 4
const INDEX_AT = COUNT_AT + 4
const HEADER_BYTES = INDEX_AT + 8
const LENGTHS_BYTES = 8
const MAGIC = 0x414e4a31

/** Batches begin on multiples of this, so that no two of them share a block of the disk. */
export const BLOCK_BYTES = 4096

/** Records of consecutive indexes, ascending, that are written in one piece. */
export type JournalBatch = readonly StoredRecord[]

/** Bytes that a batch takes in the journal: whole blocks. */
export function batchBytes(batch: JournalBatch): number {
  let bytes = HEADER_BYTES
  for (const { record, secrets } of batch) bytes += LENGTHS_BYTES + record.length + (secrets?.length ?? 0)
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES
}

/** Writes a batch to the start of `target`, whose `batchBytes` it fills. */
export function writeBatch(target: Buffer, batch: JournalBatch): void {
  let at = HEADER_BYTES
  for (const { record, secrets } of batch) {
    target.writeUInt32BE(record.length, at)
    target.writeUInt32BE(secrets?.length ?? 0, at + 4)
    at += LENGTHS_BYTES
    target.set(record, at)
    at += record.length
    if (!secrets) continue
    target.set(secrets, at)
    at += secrets.length
  }
  target.writeUInt32BE(MAGIC, MAGIC_AT)
  target.writeUInt32BE(at, LENGTH_AT)
  target.writeUInt32BE(batch.length, COUNT_AT)
  target.writeBigUInt64BE(BigInt(batch[0]?.index ?? 0), INDEX_AT)
  target.set(sha256(target.subarray(HASH_BYTES, at)), 0)
  target.fill(0, at, batchBytes(batch))
}

/** The batch at the start of `source`, its records not copied; undefined when none was written there, or not whole. */
export function readBatch(source: Buffer): JournalBatch | undefined {
  if (source.length < HEADER_BYTES || source.readUInt32BE(MAGIC_AT) !== MAGIC) return undefined
  const length = source.readUInt32BE(LENGTH_AT)
  if (length < HEADER_BYTES || length > source.length) return undefined
  if (!sha256(source.subarray(HASH_BYTES, length)).equals(source.subarray(0, HASH_BYTES))) return undefined
  const batch: StoredRecord[] = []
  const first = Number(source.readBigUInt64BE(INDEX_AT))
  const count = source.readUInt32BE(COUNT_AT)
  let at = HEADER_BYTES
  for (let i = 0; i < count; i++) {
    const secretsAt = at + LENGTHS_BYTES + source.readUInt32BE(at)
    const end = secretsAt + source.readUInt32BE(at + 4)
    const record = source.subarray(at + LENGTHS_BYTES, secretsAt)
    batch.push({
      index: first + i,
      record,
      secrets: end > secretsAt ? source.subarray(secretsAt, end) : undefined
    })
    at = end
  }
  return batch
}

/**
 * What batches found in a journal add to a log: the records above its head that continue its chain.
 * @param head index of the newest record of the log
 * @param headHash SHA-256 of that record
 */
export function continuation(
  found: readonly JournalBatch[],
  head: number,
  headHash: Uint8Array
): readonly StoredRecord[] {
  const added: StoredRecord[] = []
  let hash = headHash
  for (const batch of found.toSorted((a, b) => (a[0]?.index ?? 0) - (b[0]?.index ?? 0)))
    for (const stored of batch) {
      const next = head + added.length + 1
      if (stored.index < next) continue
      if (stored.index > next || !previousHash(stored.record).every((byte, i) => byte === hash[i])) break
      added.push(stored)
      hash = sha256(stored.record)
    }
  return added
}
