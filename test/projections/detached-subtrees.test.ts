// Subtrees that are removed at once, against trees whose keys are removed one after another.
import fc from 'fast-check'
import test from 'ava'
import { beginEpoch } from '../../projections/epoch.js'
import { commonPrefix } from '../../projections/radix-nodes.js'
import { RadixTree } from '../../projections/radix-tree.js'
import { runs } from '../support/property-runs.js'

interface Row {
  readonly key: string
  readonly index: number
}

const key = fc
  .array(fc.constantFrom('a', 'b', '/', '\u00e9', '\u{1f600}'), { maxLength: 5 })
  .map(parts => parts.join(''))
const kinds = [
  'put',
  'put',
  'put',
  'remove',
  'removeUnder',
  'removeUnder',
  'prune',
  'release',
  'view'
] as const
const step = fc.record({ kind: fc.constantFrom(...kinds), key })

const removeUnder = (tree: RadixTree<Row>, oneByOne: RadixTree<Row>, prefix: string, index: number): void => {
  const rows = [...oneByOne.walk(prefix)]
  if (rows.length === 0) return
  tree.removeUnder(commonPrefix(rows.map(row => row.key)), index)
  for (const row of rows) oneByOne.remove(row.key, index)
}

test('a tree without a subtree equals one whose keys were removed one after another', t => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      key,
      key,
      fc.boolean(),
      (steps, changes, prefix, bound, withSubtree) => {
        const tree = new RadixTree<Row>()
        const oneByOne = new RadixTree<Row>()
        const walks: (readonly [walk: Iterable<Row>, rows: readonly Row[]])[] = []
        for (const [i, { kind, key: name }] of steps.entries()) {
          // A commit has several changes.
          const index = Math.floor(i / changes) + 1
          if (kind === 'put') {
            const row = { key: name, index }
            t.is(tree.put(name, row, index), oneByOne.put(name, row, index))
          } else if (kind === 'remove') t.is(tree.remove(name, index), oneByOne.remove(name, index))
          else if (kind === 'removeUnder') removeUnder(tree, oneByOne, name, index)
          else if (kind === 'release') tree.release(name)
          else if (kind === 'prune') {
            tree.prune(name)
            oneByOne.prune(name)
          } else {
            walks.push([tree.view().walk(name), [...oneByOne.walk(name)]])
            beginEpoch()
          }
          t.is(tree.size, oneByOne.size)
          t.is(tree.index, oneByOne.index)
          t.is(tree.get(bound), oneByOne.get(bound))
          t.is(tree.indexUnder(prefix), oneByOne.indexUnder(prefix))
          t.is(tree.sizeUnder(prefix), [...oneByOne.walk(prefix)].length)
        }
        for (const [walk, rows] of walks) t.deepEqual([...walk], rows)
        t.deepEqual([...tree.walk(prefix)], [...oneByOne.walk(prefix)])
        const after = { key: bound, withSubtree }
        t.deepEqual([...tree.walk(prefix, after)], [...oneByOne.walk(prefix, after)])
        t.deepEqual(tree.prefixesOf(bound), oneByOne.prefixesOf(bound))
        t.is(tree.longestPrefix(bound), oneByOne.longestPrefix(bound))
        const indexes = (one: RadixTree<Row>) => [...one.prefixIndexes(row => row.index)]
        t.deepEqual(indexes(tree), indexes(oneByOne))
      }
    ),
    { numRuns: runs(3000) }
  )
})
