// Records of a source, each verified against the tree of a signed checkpoint.
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import type { StoredRecord } from '../../events/log/record.js'
import { splitRecords } from '../../events/log/split-records.js'
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
 * @throws ProofFailed naming the first commit that is not
 */
export const verifyRecords = async (
  records: readonly StoredRecord[],
  from: number,
  tree: MerkleTree
): Promise<void> => {
  for (const [at, record] of records.entries()) {
    const index = from + at
    const fault =
      record.index !== index || !record.hash.equals(await tree.leafHash(index - 1))
        ? 'it is not the commit of the signed tree'
        : (record.fault() ?? record.brokenCommitment())
    if (fault !== undefined) throw new ProofFailed(`commit ${index} was changed: ${fault}`)
  }
}
