// Proofs about Merkle trees, by the vectors of the Certificate Transparency project and their corruptions.
import test from 'ava'
import {
  EMPTY_ROOT,
  isConsistent,
  isIncluded,
  leafHash,
  nodeHash
} from '../../../events/log/evidence/merkle.js'
import type { LeafPosition, TreeState } from '../../../events/log/evidence/proofs.js'
import * as vectors from './vectors.js'

const SOME_HASH = Buffer.from('abacaba000000000000000000000000000000000000000000060061e00123456', 'hex')
const NOTHING = Buffer.alloc(0)

const rootOf = (size: number): Buffer => vectors.ROOTS[size - 1] ?? EMPTY_ROOT
const treeOf = (size: number): TreeState => ({ size, root: rootOf(size) })
const flipped = (hash: Buffer): Buffer => {
  const other = Buffer.from(hash)
  other.writeUInt8(other.readUInt8() ^ 8)
  return other
}

/** What the project itself tries on every proof that holds. */
const corruptProofs = (
  proof: readonly Buffer[],
  roots: readonly Buffer[]
): readonly (readonly [what: string, proof: readonly Buffer[]])[] => [
  ...[NOTHING, ...roots].flatMap(
    hash =>
      [
        ['something more at the end', [...proof, hash]],
        ['something more at the front', [hash, ...proof]]
      ] as const
  ),
  ...proof.map((hash, i) => [`hash ${i} with a bit changed`, proof.with(i, flipped(hash))] as const),
  ...(proof.length > 0 ? [['the last hash left out', proof.slice(0, -1)] as const] : []),
  ...(proof.length > 1 ? [['a hash put in', [proof[0]!, SOME_HASH, ...proof.slice(1)]] as const] : [])
]

test('hashes of leaves and nodes are those of RFC 6962', t => {
  t.is(EMPTY_ROOT.toString('hex'), vectors.EMPTY_ROOT)
  t.is(leafHash(NOTHING).toString('hex'), vectors.EMPTY_LEAF_HASH)
  t.is(leafHash(Buffer.from('L123456')).toString('hex'), vectors.LEAF_HASH)
  t.is(nodeHash(Buffer.from('N123'), Buffer.from('N456')).toString('hex'), vectors.NODE_HASH)
})

for (const { index, size, proof } of vectors.INCLUSIONS)
  test(`leaf ${index} is proved to be in a tree of ${size}, and by nothing else`, t => {
    const leaf: LeafPosition = { index, hash: leafHash(vectors.LEAVES[index]!) }
    const tree = treeOf(size)
    t.true(isIncluded(leaf, tree, proof))
    for (const other of [index - 1, index + 1, index ^ 2])
      t.false(isIncluded({ ...leaf, index: other }, tree, proof), `as leaf ${other}`)
    for (const other of [size * 2, Math.floor(size / 2)])
      t.false(isIncluded(leaf, { ...tree, size: other }, proof), `in a tree of ${other}`)
    t.false(isIncluded({ index, hash: Buffer.from('WrongLeaf') }, tree, proof))
    for (const root of [EMPTY_ROOT, SOME_HASH]) t.false(isIncluded(leaf, { size, root }, proof))
    for (const [what, other] of corruptProofs(proof, [rootOf(size)]))
      t.false(isIncluded(leaf, tree, other), what)
  })

test('nothing is in an empty tree, nor beyond its end', t => {
  for (const [index, size] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [2, 1]
  ] as const)
    for (const [hash, root] of [
      [SOME_HASH, NOTHING],
      [NOTHING, EMPTY_ROOT],
      [SOME_HASH, EMPTY_ROOT]
    ] as const)
      t.false(isIncluded({ index, hash }, { size, root }, []))
})

for (const { from, to, proof } of vectors.CONSISTENCIES)
  test(`a tree of ${to} is proved to begin with one of ${from}, and by nothing else`, t => {
    const [older, newer] = [treeOf(from), treeOf(to)]
    t.true(isConsistent(older, newer, proof))
    if (proof.length === 0) return
    for (const other of [from - 1, from + 1, from ^ 2])
      t.false(isConsistent({ ...older, size: other }, newer, proof), `from ${other}`)
    for (const other of [to * 2, Math.floor(to / 2)])
      t.false(isConsistent(older, { ...newer, size: other }, proof), `to ${other}`)
    const wrong = Buffer.from('WrongRoot')
    t.false(isConsistent({ size: from, root: wrong }, newer, proof))
    t.false(isConsistent(older, { size: to, root: wrong }, proof))
    t.false(isConsistent({ size: from, root: newer.root }, { size: to, root: older.root }, proof))
    t.false(isConsistent(older, newer, []))
    for (const [what, other] of corruptProofs(proof, [rootOf(from), rootOf(to)]))
      t.false(isConsistent(older, newer, other), what)
  })

test('of trees without a proof only equal ones are consistent, and any with the empty one', t => {
  const [one, other] = [Buffer.from("don't care 1"), Buffer.from("don't care 2")]
  const consistent = (
    from: number,
    to: number,
    roots: readonly [Buffer, Buffer],
    proof: readonly Buffer[] = []
  ): boolean => isConsistent({ size: from, root: roots[0] }, { size: to, root: roots[1] }, proof)
  t.true(consistent(0, 0, [one, one]))
  t.true(consistent(0, 1, [one, other]))
  t.true(consistent(1, 1, [other, other]))
  t.false(consistent(0, 0, [one, other]))
  t.false(consistent(1, 1, [one, other]))
  t.false(consistent(1, 0, [one, other]))
  t.false(consistent(2, 1, [one, other]))
  t.false(consistent(1, 2, [one, other]))
  for (const to of [0, 1]) t.false(consistent(0, to, [EMPTY_ROOT, EMPTY_ROOT], [EMPTY_ROOT]))
  t.false(consistent(1, 1, [EMPTY_ROOT, EMPTY_ROOT], [EMPTY_ROOT]))
})
