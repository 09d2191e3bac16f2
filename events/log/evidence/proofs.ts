// Verifies proofs about a Merkle tree (RFC 9162 §2.1.3.2 and §2.1.4.2). Sizes and indexes may be larger than 32 bits, so they are
// halved by division.
import { isEqual } from './platform.js'

/** What is given does not prove what it is given for; the text tells why. */
export class ProofFailed extends Error {
  override readonly name = 'Unproved'
}

/** A trusted root of the tree over some commits, or a trusted hash of a commit. */
export interface TrustedRoot {
  readonly kind: 'tree' | 'commit'
  /** The number of commits, or the index of the commit. */
  readonly index: number
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** Its source for messages, such as `the checkpoint of 7 commits in old.txt`. */
  readonly source: string
}

/** Commits differ from a trusted root. */
export const logChangedError = (source: string, size: number): ProofFailed =>
  new ProofFailed(
    `commits 1 to ${size} are not those of ${source}: at least one was changed, cut out, moved or put in`
  )

/** A tree, as far as a checkpoint tells of it. */
export interface TreeState {
  readonly size: number
  readonly root: Uint8Array
}

/** A leaf and where it stands. */
export interface LeafPosition {
  /** From 0; commit N is leaf N-1. */
  readonly index: number
  /** 32 bytes. */
  readonly hash: Uint8Array
}

const HASH_BYTES = 32

const half = (n: number): number => Math.floor(n / 2)
const isOdd = (n: number): boolean => n % 2 === 1
const isSize = (n: number): boolean => Number.isSafeInteger(n) && n >= 0
const areHashes = (hashes: readonly Uint8Array[]): boolean =>
  hashes.every(({ length }) => length === HASH_BYTES)

type NodeHash = (left: Uint8Array, right: Uint8Array) => Uint8Array

/** Whether the hashes prove that the tree has this leaf there. */
function isIncluded(
  nodeHash: NodeHash,
  leaf: LeafPosition,
  tree: TreeState,
  hashes: readonly Uint8Array[]
): boolean {
  if (!isSize(leaf.index) || !isSize(tree.size) || leaf.index >= tree.size) return false
  if (!areHashes([leaf.hash, ...hashes])) return false
  let node = leaf.index
  let last = tree.size - 1
  let hash = leaf.hash
  for (const sibling of hashes) {
    if (last === 0) return false
    if (isOdd(node) || node === last) {
      hash = nodeHash(sibling, hash)
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)]
    } else hash = nodeHash(hash, sibling)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && isEqual(hash, tree.root)
}

/** The place of the first node of a consistency proof: up from the last leaf of the older tree as long as it is a right child. */
function firstNode(older: number, newer: number): readonly [node: number, last: number] {
  let [node, last] = [older - 1, newer - 1]
  while (isOdd(node)) [node, last] = [half(node), half(last)]
  return [node, last]
}

/** Whether the hashes prove that the newer tree begins with all leaves of the older one. Every tree begins with the empty one. */
function isConsistent(
  nodeHash: NodeHash,
  older: TreeState,
  newer: TreeState,
  hashes: readonly Uint8Array[]
): boolean {
  if (!isSize(older.size) || !isSize(newer.size) || older.size > newer.size) return false
  if (older.size === newer.size) return hashes.length === 0 && isEqual(older.root, newer.root)
  if (older.size === 0) return hashes.length === 0
  if (hashes.length === 0 || !areHashes(hashes)) return false
  let [node, last] = firstNode(older.size, newer.size)
  // A whole older tree is itself the first node, and the proof leaves it out.
  const [first = older.root, ...rest] = node === 0 ? [older.root, ...hashes] : hashes
  let olderHash = first
  let newerHash = first
  for (const sibling of rest) {
    if (last === 0) return false
    if (isOdd(node) || node === last) {
      olderHash = nodeHash(sibling, olderHash)
      newerHash = nodeHash(sibling, newerHash)
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)]
    } else newerHash = nodeHash(newerHash, sibling)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && isEqual(olderHash, older.root) && isEqual(newerHash, newer.root)
}

/** The root over leaves whose hashes are added one by one (RFC 9162 §2.1.1). */
export class RootBuilderBy<Hash> {
  /** Roots of complete subtrees, the largest first, and behind them former ones: an array that is emptied frees its memory. */
  readonly #subtrees: Hash[] = []
  #depth = 0
  #count = 0

  constructor(private readonly nodeHash: (left: Hash, right: Hash) => Hash) {}

  add(leaf: Hash): void {
    let node = leaf
    for (let count = this.#count++; count % 2 === 1; count = (count - 1) / 2) {
      const left = this.#subtrees[--this.#depth]
      if (left !== undefined) node = this.nodeHash(left, node)
    }
    this.#subtrees[this.#depth++] = node
  }

  /** @throws TypeError without any leaf */
  get root(): Hash {
    let root: Hash | undefined
    for (let i = this.#depth - 1; i >= 0; i--) {
      const left = this.#subtrees[i]
      if (left !== undefined) root = root === undefined ? left : this.nodeHash(left, root)
    }
    if (root === undefined) throw new TypeError('a tree without leaves has no root here')
    return root
  }

  clear(): void {
    this.#depth = this.#count = 0
  }
}

/** The checks, on whatever machine hashes. */
export const proofsBy = (nodeHash: NodeHash) => ({
  isIncluded: isIncluded.bind(undefined, nodeHash),
  isConsistent: isConsistent.bind(undefined, nodeHash)
})
