// The tree over the commits of a log as they are walked, compared with the tree that is kept beside it, and with what is known from
// outside.
import type { LevelFiles } from '../tree/level-files.js'
import { countAt, HASH_BYTES } from '../tree/tiles.js'
import { MerkleTree } from '../tree/tree.js'
import { ProofFailed } from './proofs.js'

/** That a log had so many commits, with this root of the tree over them; or that a commit had this hash. */
export interface TrustedRoot {
  readonly kind: 'tree' | 'commit'
  /** The number of commits, or the index of the commit. */
  readonly index: number
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** From where that is known, such as `the checkpoint of 7 commits in old.txt`. */
  readonly source: string
}

interface StoredHashes {
  readonly files: LevelFiles
  /** How many commits it is said to be of: what the files have beyond that is left over, or being written. */
  readonly size: number
}

export class RecomputedTree {
  /** So many commits are in the files as they are in the log. */
  #compared: number

  /**
   * @param start index of the commit before the first that is walked: the files stand for it, and for all before it
   * @param kept undefined when there is none, and the log begins with commit 1
   * @throws TreeDamage when the files do not have so many
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

  /** How many commits it has, those before the first that was walked included. */
  get size(): number {
    return this.tree.size
  }

  /** How many commits of the tree beside the log are those of the log. */
  get compared(): number {
    return this.#compared
  }

  /** The root over all commits that were walked. */
  root(): Promise<Buffer> {
    return this.tree.rootAt(this.tree.size)
  }

  add(hash: Uint8Array): void {
    this.tree.append(hash)
  }

  /**
   * Compares what was added with the files.
   * @throws Unproved when they have another hash, or none
   */
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
    // From now on it is read from there.
    this.tree.forget(to)
  }

  /** Compares with what is known from outside. @throws Unproved when the log is another one */
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

/** A log is not the one that it was. @param source from where it is known how it was */
export const logChangedError = (source: string, size: number): ProofFailed =>
  new ProofFailed(
    `commits 1 to ${size} are not those of ${source}: at least one was changed, cut out, moved or put in`
  )

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
