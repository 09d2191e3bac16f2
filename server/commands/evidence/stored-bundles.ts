// Verifies the stored entry bundles of a log against the hashes of its tree.
import { leafHash } from '../../../events/log/evidence/merkle.js'
import { namesIn, readFile, type Disk } from '../../../events/log/disk-port.js'
import { LogUnusable } from '../../../events/log/log.js'
import { decodeEntries } from '../../../events/log/tree/entry-bundles.js'
import type { LevelFiles } from '../../../events/log/tree/level-files.js'
import { HASH_BYTES, TILE_WIDTH } from '../../../events/log/tree/tiles.js'

interface StoredBundles {
  /** The folder of the bundles. */
  readonly bundles: Disk
  readonly files: LevelFiles
  /** Index of the oldest commit whose record is retained. */
  readonly firstIndex: number
}

const NAME = /^\d{16}$/
const LENGTH_BYTES = 2

/** Tells whether a bundle has whole entries, whose leaves have the hashes of the tree. Later leaves than those of the tree files are not compared. */
const isOfTree = async (bytes: Buffer, first: number, files: LevelFiles): Promise<boolean> => {
  const leaves = decodeEntries(bytes)
  const length = leaves.reduce((sum, leaf) => sum + LENGTH_BYTES + leaf.length, 0)
  const hashes = await files.row(0, first, leaves.length)
  return (
    leaves.length > 0 &&
    length === bytes.length &&
    leaves
      .slice(0, hashes.length / HASH_BYTES)
      .every((leaf, at) => leafHash(leaf).equals(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)))
  )
}

/** Returns lines about the bundles. @throws LogUnusable for a damaged one whose commits were pruned */
export const proveBundles = async ({
  bundles,
  files,
  firstIndex
}: StoredBundles): Promise<readonly string[]> => {
  const names = (await namesIn(bundles)).filter(name => NAME.test(name))
  let damaged = 0
  for (const name of names) {
    const first = Number(name) * TILE_WIDTH
    const bytes = await readFile(bundles, name)
    if (!bytes || (await isOfTree(bytes, first, files))) continue
    if (first + 1 < firstIndex)
      throw new LogUnusable(
        `entry bundle ${name} is damaged: it is not that of the tree, and its commits were pruned`
      )
    damaged++
  }
  const held = names.length - damaged
  return [
    ...(held > 0 ? [`${held} stored entry bundles hold: their leaves are those of the tree`] : []),
    ...(damaged > 0
      ? [`${damaged} stored entry bundles are not those of the tree: the next request makes them again`]
      : [])
  ]
}
