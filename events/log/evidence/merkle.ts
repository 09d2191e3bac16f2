// The hashes of a Merkle tree (RFC 9162 §2.1.1, the same as RFC 6962 §2.1).
import { sha256 } from '../../codec.js'
import { proofsBy } from './proofs.js'

const LEAF = Buffer.of(0x00)
const NODE = Buffer.of(0x01)

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0))

/** The hash of a leaf: for a commit, of its record's header; it is the record's hash. */
export const leafHash = (leaf: Uint8Array): Buffer => sha256(Buffer.concat([LEAF, leaf]))

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  sha256(Buffer.concat([NODE, left, right]))

export const { isIncluded, isConsistent } = proofsBy(nodeHash)
