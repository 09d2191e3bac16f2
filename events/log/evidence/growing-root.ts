// The root of a tree that grows leaf by leaf, remembering a hash for each level alone (RFC 9162 §2.1.2).
import { EMPTY_ROOT, nodeHash } from './merkle.js'

export class GrowingRoot {
  /** Roots of whole subtrees, the largest first: one for each one-bit of the size. */
  readonly #subtrees: Uint8Array[]
  #size: number

  /**
   * @param size leaves that are there already
   * @param subtrees the roots of the largest whole subtrees over them, from left to right: one for each one-bit of the size
   */
  constructor(size = 0, subtrees: readonly Uint8Array[] = []) {
    this.#size = size
    this.#subtrees = [...subtrees]
  }

  /** Number of leaves. */
  get size(): number {
    return this.#size
  }

  /** @param leaf its hash */
  add(leaf: Uint8Array): void {
    let hash = leaf
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) {
      const left = this.#subtrees.pop()
      if (left) hash = nodeHash(left, hash)
    }
    this.#subtrees.push(hash)
    this.#size++
  }

  /** The root over all leaves. */
  get root(): Buffer {
    const root = this.#subtrees.reduceRight<Uint8Array | undefined>(
      (right, left) => (right ? nodeHash(left, right) : left),
      undefined
    )
    return root ? Buffer.from(root) : EMPTY_ROOT
  }
}
