// The hashes of a Merkle tree (RFC 9162 §2.1.1, identical to RFC 6962 §2.1).
import { hash } from 'node:crypto'
import { sha256 } from '../../codec.js'
import { proofsBy } from './proofs.js'

const HASH = 32
const LEAF = Buffer.of(0x00)
/** 0x01 and two hashes. Reused, since most hashes of a tree are those of nodes. */
const node = Buffer.alloc(1 + 2 * HASH, 0x01)

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0))

/** Returns the hash of a leaf. The leaf of a commit is the header of its record, and its hash is that of the record. */
export const leafHash = (leaf: Uint8Array): Buffer => sha256(Buffer.concat([LEAF, leaf]))

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  // A verifier is given hashes of any length.
  if (left.length !== HASH || right.length !== HASH)
    return sha256(Buffer.concat([node.subarray(0, 1), left, right]))
  node.set(left, 1)
  node.set(right, 1 + HASH)
  return sha256(node)
}

/** As `nodeHash`, of hashes of 32 bytes as binary strings, which Node makes faster than buffers. */
export function binaryNodeHash(left: string, right: string): string {
  node.write(left, 1, 'binary')
  node.write(right, 1 + HASH, 'binary')
  return hash('sha256', node, 'binary')
}

/** As `nodeHash`, of both hashes one after the other in a buffer, as a binary string. */
export function pairHash(hashes: Buffer, at: number): string {
  hashes.copy(node, 1, at, at + 2 * HASH)
  return hash('sha256', node, 'binary')
}

export const { isIncluded, isConsistent } = proofsBy(nodeHash)
