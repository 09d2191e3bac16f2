import test from 'ava'
import { EMPTY_ROOT, leafHash, nodeHash } from '../../../events/log/evidence/merkle.js'
import { isConsistent, isIncluded } from '../../../events/log/evidence/merkle.js'
import { LevelFiles } from '../../../events/log/tree/level-files.js'
import { countAt } from '../../../events/log/tree/tiles.js'
import { MerkleTree, TreeDamage } from '../../../events/log/tree/tree.js'
import * as vectors from '../evidence/vectors.js'
import { SimulatedDisk } from '../../support/simulated-disk.js'

const leafOf = (index: number): Buffer => leafHash(Buffer.from(`leaf ${index}`))
const leaves = (count: number): readonly Buffer[] =>
  Array.from({ length: count }, (_, index) => leafOf(index))

const treeOf = (count: number): MerkleTree => {
  const tree = new MerkleTree()
  for (const leaf of leaves(count)) tree.append(leaf)
  return tree
}

/** MTH of RFC 9162 §2.1.1, word for word. */
const rootOf = (hashes: readonly Buffer[]): Buffer => {
  const [first] = hashes
  if (!first) return EMPTY_ROOT
  if (hashes.length === 1) return first
  let k = 1
  while (2 * k < hashes.length) k *= 2
  return nodeHash(rootOf(hashes.slice(0, k)), rootOf(hashes.slice(k)))
}

/** Writes all of a tree to files, as it is when it has so many leaves. */
const keep = async (tree: MerkleTree, files: LevelFiles): Promise<void> => {
  for (let level = 0; countAt(level, tree.size) > 0; level++)
    await files.write(level, 0, await tree.hashes(level, 0, countAt(level, tree.size)))
}

test('roots and proofs are those of the Certificate Transparency project', async t => {
  const tree = new MerkleTree()
  for (const leaf of vectors.LEAVES) tree.append(leafHash(leaf))
  for (const [i, root] of vectors.ROOTS.entries()) t.deepEqual(await tree.rootAt(i + 1), root)
  for (const { index, size, proof } of vectors.INCLUSIONS)
    t.deepEqual(await tree.inclusion(index, size), proof, `${index} of ${size}`)
  for (const { from, to, proof } of vectors.CONSISTENCIES)
    t.deepEqual(await tree.consistency(from, to), proof, `${from} to ${to}`)
})

const SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 255, 256, 257, 511, 512, 513, 600]

test('the root over any number of leaves is that of RFC 9162, whatever was appended since', async t => {
  const tree = treeOf(600)
  for (const size of SIZES) t.deepEqual(await tree.rootAt(size), rootOf(leaves(size)), `${size} leaves`)
})

test('paths and consistency proofs hold for all leaves and sizes', async t => {
  const tree = treeOf(40)
  for (let size = 1; size <= tree.size; size++) {
    const newer = { size, root: await tree.rootAt(size) }
    for (let index = 0; index < size; index++) {
      const hash = await tree.leafHash(index)
      t.true(isIncluded({ index, hash }, newer, await tree.inclusion(index, size)), `${index} of ${size}`)
    }
    for (let from = 0; from <= size; from++) {
      const older = { size: from, root: await tree.rootAt(from) }
      t.true(isConsistent(older, newer, await tree.consistency(from, size)), `${from} to ${size}`)
    }
  }
})

test('a tree of three levels of tiles is read from files as it was appended', async t => {
  const size = 256 * 256 + 700
  const tree = treeOf(size)
  const files = new LevelFiles(new SimulatedDisk(), 'write')
  await keep(tree, files)
  const kept = await MerkleTree.open(files, size)
  const root = await tree.rootAt(size)
  t.deepEqual(await kept.rootAt(size), root)
  for (const index of [0, 255, 256, 65_535, 65_536, size - 1]) {
    const hash = leafOf(index)
    t.deepEqual(await kept.leafHash(index), hash)
    t.true(isIncluded({ index, hash }, { size, root }, await kept.inclusion(index, size)))
  }
  for (const from of [1, 256, 4097, 65_536, 65_537]) {
    const older = { size: from, root: await kept.rootAt(from) }
    t.true(isConsistent(older, { size, root }, await kept.consistency(from, size)))
  }
  kept.append(leafOf(size))
  tree.append(leafOf(size))
  t.deepEqual(await kept.rootAt(size + 1), await tree.rootAt(size + 1))
})

test('a tree that is cut is the one that it was', async t => {
  const tree = treeOf(1000)
  for (const size of [0, 1, 255, 256, 511, 512, 999, 1000]) {
    const cut = await tree.cutTo(size)
    for (const index of [size, size + 1]) cut.append(leafOf(index))
    t.deepEqual(await cut.rootAt(size + 2), rootOf(leaves(size + 2)), `${size} leaves`)
  }
})

test('hashes that were changed on disk are never used', async t => {
  const disk = new SimulatedDisk()
  const files = new LevelFiles(disk, 'write')
  await keep(treeOf(1000), files)
  const bytes = disk.content('level-0')
  if (bytes) bytes[300 * 32] = (bytes[300 * 32] ?? 0) ^ 1
  const kept = await MerkleTree.open(files, 1000)
  t.deepEqual(await kept.leafHash(255), leafOf(255))
  for (const asked of [() => kept.leafHash(300), () => kept.leafHash(301), () => kept.inclusion(300, 1000)])
    await t.throwsAsync(asked, {
      instanceOf: TreeDamage,
      message: 'tile 1 of level 0 of the tree is not what the tile above it says'
    })
})

test('files that are too short are errors', async t => {
  const disk = new SimulatedDisk()
  const files = new LevelFiles(disk, 'write')
  await keep(treeOf(1000), files)
  await t.throwsAsync(MerkleTree.open(files, 1001), { instanceOf: TreeDamage, message: /level 0 .* 1001 / })
})

test('what is not there yet is asked for in vain', async t => {
  const tree = treeOf(3)
  await t.throwsAsync(async () => tree.leafHash(3), { instanceOf: RangeError })
  await t.throwsAsync(async () => tree.rootAt(4), { instanceOf: RangeError })
  await t.throwsAsync(async () => tree.inclusion(2, 2), { instanceOf: RangeError })
  await t.throwsAsync(async () => tree.consistency(3, 2), { instanceOf: RangeError })
})
