// The radix tree against a plain map.
import test from 'ava'
import * as fc from 'fast-check'
import { RadixTree } from '../../projections/radix-tree.js'

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', '☃'), maxLength: 6 })
const change = fc.record({ key, remove: fc.boolean(), value: fc.nat() })

test('it answers as a map does after any changes', t => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), key, (changes, asked) => {
      const map = new Map<string, number>()
      const tree = new RadixTree<number>()
      for (const { key: changed, remove, value } of changes) {
        const before = map.get(changed)
        if (remove) map.delete(changed)
        else map.set(changed, value)
        const answer = remove ? tree.delete(changed) : tree.insert(changed, value)
        if (answer !== before) return false
      }
      const prefixes = [...map]
        .filter(([label]) => asked.startsWith(label))
        .toSorted((a, b) => b[0].length - a[0].length)
      const below = [...map]
        .filter(([label]) => label.startsWith(asked))
        .toSorted((a, b) => (a[0] < b[0] ? -1 : 1))
      t.is(tree.size, map.size)
      t.is(tree.get(asked), map.get(asked))
      t.is(tree.longestPrefix(asked), prefixes[0]?.[1])
      t.deepEqual([...tree.walkPrefix(asked)], below)
      return true
    }),
    { numRuns: 2000 }
  )
})

test('a long chain of keys is no deeper than it needs to be', t => {
  const tree = new RadixTree<number>()
  const long = 'x'.repeat(100_000)
  tree.insert(long, 1)
  tree.insert(`${long}y`, 2)
  t.is(tree.longestPrefix(`${long}yz`), 2)
  t.deepEqual(
    [...tree.walkPrefix('x')].map(([, value]) => value),
    [1, 2]
  )
})
