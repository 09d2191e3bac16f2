// Records of a source, each verified against the tree of a signed checkpoint.
import { binaryNodeHash } from '../../events/log/evidence/merkle.js'
import { ProofFailed, RootBuilderBy } from '../../events/log/evidence/proofs.js'
import type { StoredRecord } from '../../events/log/record.js'
import { splitRecords } from '../../events/log/split-records.js'
import { HASH_BYTES, TILE_WIDTH } from '../../events/log/tree/tiles.js'
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

/** Hashes that the tree has for consecutive records. */
interface ExpectedHashes {
  /** Number of records for each hash: 1 for leaves, or as many as a tile has for the roots of whole tiles. */
  readonly width: number
  readonly hashes: Buffer
}

export interface RecordVerification {
  /** The reason with the first commit at fault; undefined for none. */
  readonly fault: string | undefined
  /** Leaves of the records, one after another, if none is at fault. */
  readonly leaves: Buffer<ArrayBuffer>
}

/** Verifies that records are the commits of a tree from an index on. Roots are compared after the records under them. */
export const verifyRecords = (
  records: readonly StoredRecord[],
  from: number,
  { width, hashes }: ExpectedHashes
): RecordVerification => {
  const leaves = Buffer.allocUnsafeSlow(records.length * HASH_BYTES)
  if (leaves.length !== hashes.length * width)
    return { fault: `commit ${from} begins other records than those of the signed tree`, leaves }
  const root = new RootBuilderBy(binaryNodeHash)
  for (let at = 0; at < records.length; at++) {
    const [record, index] = [records[at], from + at]
    const leaf = record?.binaryHash ?? ''
    root.add(leaf)
    leaves.write(leaf, at * HASH_BYTES, 'binary')
    const isLast = (at + 1) % width === 0
    const end = ((at + 1) / width) * HASH_BYTES
    const isOfTree = !isLast || root.root === hashes.toString('binary', end - HASH_BYTES, end)
    if (record?.index !== index || !isOfTree)
      return { fault: `commit ${index} was changed: it is not the commit of the signed tree`, leaves }
    const fault = record.fault(true) ?? record.brokenCommitment()
    if (fault !== undefined) return { fault: `commit ${index} was changed: ${fault}`, leaves }
    if (isLast) root.clear()
  }
  return { fault: undefined, leaves }
}

export type VerifyRecords = (
  ...task: Parameters<typeof verifyRecords>
) => RecordVerification | Promise<RecordVerification>

/**
 * Verifies that records are the commits of a tree from an index on. Whole tiles are verified by their roots, without their leaves.
 * @returns the records, whose parts need no further check
 * @throws ProofFailed naming the first commit that is not
 */
export const verifiedRecords = async (
  records: readonly StoredRecord[],
  from: number,
  tree: MerkleTree,
  verify: VerifyRecords = verifyRecords
): Promise<readonly StoredRecord[]> => {
  const areWholeTiles = (from - 1) % TILE_WIDTH === 0 && records.length % TILE_WIDTH === 0
  let reason: string | undefined
  // A root does not tell which of its leaves is at fault.
  for (const level of areWholeTiles ? [1, 0] : [0]) {
    const width = TILE_WIDTH ** level
    const first = (from - 1) / width
    const hashes = await tree.hashes(level, first, first + records.length / width)
    const { fault, leaves } = await verify(records, from, { width, hashes })
    if (fault === undefined)
      return records.map((record, at) =>
        record.verified(leaves.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES))
      )
    reason = fault
  }
  throw new ProofFailed(reason)
}
