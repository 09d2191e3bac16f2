// The hashes of a Merkle tree (RFC 9162 §2.1.1, identical to RFC 6962 §2.1).
import { sha256 } from '../../codec.js'
import { proofsBy } from './proofs.js'

const LEAF = Buffer.of(0x00)
const NODE = Buffer.of(0x01)

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0))

/** Returns the hash of a leaf. The leaf of a commit is the header of its record, and its hash is that of the record. */
export const leafHash = (leaf: Uint8Array): Buffer => sha256(Buffer.concat([LEAF, leaf]))

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  sha256(Buffer.concat([NODE, left, right]))

export const { isIncluded, isConsistent } = proofsBy(nodeHash)
