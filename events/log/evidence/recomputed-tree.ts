// The tree recomputed from the commits of a log, for comparison with the stored tree and with trusted roots.
import type { LevelFiles } from '../tree/level-files.js'
import { countAt, HASH_BYTES } from '../tree/tiles.js'
import { MerkleTree } from '../tree/tree.js'
import { logChangedError, ProofFailed, type TrustedRoot } from './proofs.js'

interface StoredHashes {
  readonly files: LevelFiles
  /** Number of covered commits. Further hashes in the files are ignored. */
  readonly size: number
}

export class RecomputedTree {
  /** Number of commits whose stored hashes match the log. */
  #compared: number

  /**
   * @param start index of the last commit whose hash is read from the files
   * @param kept undefined for a log without a stored tree, which begins with commit 1
   * @throws TreeDamage if the files have fewer hashes
   */
  static async begin(start: number, kept?: StoredHashes): Promise<RecomputedTree> {
    const tree = kept && start > 0 ? await MerkleTree.open(kept.files, start) : new MerkleTree(kept?.files)
    return new RecomputedTree(tree, kept)
  }

  private constructor(
    private readonly tree: MerkleTree,
    private readonly kept: StoredHashes | undefined
  ) {
    this.#compared = tree.size
  }

  get size(): number {
    return this.tree.size
  }

  get compared(): number {
    return this.#compared
  }

  root(): Promise<Buffer> {
    return this.tree.rootAt(this.tree.size)
  }

  add(hash: Uint8Array): void {
    this.tree.append(hash)
  }

  /** Compares the added hashes with the files. @throws ProofFailed for a different or missing hash */
  async compareFiles(): Promise<void> {
    const kept = this.kept
    const from = this.#compared
    const to = Math.min(this.tree.size, kept?.size ?? 0)
    if (!kept || to <= from) return
    for (let level = 0; countAt(level, to) > countAt(level, from); level++) {
      const first = countAt(level, from)
      const made = await this.tree.hashes(level, first, countAt(level, to))
      const row = await kept.files.row(level, first, made.length / HASH_BYTES)
      if (!row.equals(made)) throw otherHash(level, first, made, row)
    }
    this.#compared = to
    this.tree.forget(to)
  }

  /** Compares the log with a trusted root. @throws ProofFailed if it differs */
  async check({ kind, index, hash, source }: TrustedRoot): Promise<void> {
    if (index > this.tree.size)
      throw new ProofFailed(
        `the log ends with commit ${this.tree.size}, and ${source} tells of ${index}: the end was cut off`
      )
    const found = await (kind === 'tree' ? this.tree.rootAt(index) : this.tree.leafHash(index - 1))
    if (Buffer.compare(hash, found) === 0) return
    throw kind === 'tree'
      ? logChangedError(source, index)
      : new ProofFailed(
          `commit ${index} is not the one of ${source}: it, or a commit before it, was changed, cut out, moved or put in`
        )
  }
}

function otherHash(level: number, first: number, made: Buffer, row: Buffer): ProofFailed {
  let at = 0
  while (at < row.length && row.compare(made, at, at + HASH_BYTES, at, at + HASH_BYTES) === 0)
    at += HASH_BYTES
  const number = first + at / HASH_BYTES
  if (at >= row.length)
    return new ProofFailed(
      `the tree beside the log is damaged: it ends before hash ${number} of level ${level}`
    )
  return new ProofFailed(
    level === 0
      ? `the tree beside the log has another hash for commit ${number + 1}: one of the two was changed`
      : `the tree beside the log is damaged: hash ${number} of level ${level} is not that of the hashes below it`
  )
}
