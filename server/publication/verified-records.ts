// Records of a source, each verified against the tree of a signed checkpoint.
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import type { StoredRecord } from '../../events/log/record.js'
import { splitRecords } from '../../events/log/split-records.js'
import { HASH_BYTES } from '../../events/log/tree/tiles.js'
import type { MerkleTree } from '../../events/log/tree/tree.js'

/** Returns the records in bytes. @throws ProofFailed unless the bytes are whole records */
export const recordsIn = (bytes: Buffer, place: string): readonly StoredRecord[] => {
  const { records, end } = splitRecords(bytes)
  if (records.length === 0 || end !== bytes.length)
    throw new ProofFailed(
      `${place} is damaged after commit ${records.at(-1)?.index ?? 'none'}: there is no record`
    )
  return records
}

/**
 * Verifies that records are the commits of a tree from an index on.
 * @param hashes their leaves, one after another
 * @returns the reason with the first commit that is not; undefined if all are
 */
export const faultIn = (
  records: readonly StoredRecord[],
  from: number,
  hashes: Buffer
): string | undefined => {
  for (const [at, record] of records.entries()) {
    const index = from + at
    const isOfTree =
      record.index === index &&
      hashes.compare(record.hash, 0, HASH_BYTES, at * HASH_BYTES, (at + 1) * HASH_BYTES) === 0
    if (!isOfTree) return `commit ${index} was changed: it is not the commit of the signed tree`
    const fault = record.verified(record.hash).fault() ?? record.brokenCommitment()
    if (fault !== undefined) return `commit ${index} was changed: ${fault}`
  }
  return undefined
}

export type FindFault = (
  ...records: Parameters<typeof faultIn>
) => string | undefined | Promise<string | undefined>

/**
 * Verifies that records are the commits of a tree from an index on.
 * @returns the records, whose parts need no further check
 * @throws ProofFailed naming the first commit that is not
 */
export const verifiedRecords = async (
  records: readonly StoredRecord[],
  from: number,
  tree: MerkleTree,
  findFault: FindFault = faultIn
): Promise<readonly StoredRecord[]> => {
  const hashes = await tree.hashes(0, from - 1, from - 1 + records.length)
  const fault = await findFault(records, from, hashes)
  if (fault !== undefined) throw new ProofFailed(fault)
  return records.map((record, at) => record.verified(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)))
}
