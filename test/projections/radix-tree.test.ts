// The radix tree against a map and a list sorted by bytes.
import test from 'ava'
import * as fc from 'fast-check'
import { isBefore } from '../../projections/radix-nodes.js'
import { RadixTree } from '../../projections/radix-tree.js'

interface Row {
  readonly key: string
  readonly index: number
}

/** Few letters, so that keys share prefixes; units of both sides of the surrogates, so that orders differ. */
const key = fc
  .array(fc.constantFrom('a', 'b', '/', '\u00e9', '\uffee', '\u{1f600}', '\u{10ffff}'), { maxLength: 5 })
  .map(parts => parts.join(''))
const change = fc.record({ key, remove: fc.boolean() })

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

test('keys are found, listed and skipped like in a list sorted by bytes', t => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 40 }),
      key,
      key,
      fc.boolean(),
      (changes, prefix, bound, withSubtree) => {
        const tree = new RadixTree<Row>()
        const model = new Map<string, Row>()
        changes.forEach(({ key: name, remove }, at) => {
          const row = { key: name, index: at + 1 }
          if (remove) {
            t.deepEqual(tree.remove(name, at + 1), model.get(name))
            model.delete(name)
          } else {
            t.deepEqual(tree.put(name, row, at + 1), model.get(name))
            model.set(name, row)
          }
        })
        const sorted = [...model.values()].toSorted((a, b) => byBytes(a.key, b.key))
        t.is(tree.size, model.size)
        t.deepEqual([...tree.walk('')], sorted)
        const below = sorted.filter(row => row.key.startsWith(prefix))
        t.deepEqual([...tree.walk(prefix)], below)
        t.is(tree.has(prefix), below.length > 0)
        t.deepEqual(
          [...tree.walk(prefix, { key: bound, withSubtree })],
          below.filter(row => byBytes(row.key, bound) > 0 && !(withSubtree && row.key.startsWith(bound)))
        )
      }
    ),
    { numRuns: 1000 }
  )
})

test('a prefix has the index of its last change, removals included, and pruning changes nothing else', t => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 40 }),
      fc.array(key, { maxLength: 5 }),
      key,
      (changes, freed, prefix) => {
        const tree = new RadixTree<Row>()
        const live = new Set<string>()
        let last: number | undefined
        changes.forEach(({ key: name, remove }, at) => {
          if (remove && !live.delete(name)) return
          if (remove) tree.remove(name, at + 1)
          else {
            tree.put(name, { key: name, index: at + 1 }, at + 1)
            live.add(name)
          }
          if (name.startsWith(prefix)) last = at + 1
        })
        if (prefix !== '') t.is(tree.indexUnder(prefix), last)
        for (const name of freed) tree.prune(name)
        t.deepEqual(
          [...tree.walk('')].map(row => row.key),
          [...live].toSorted(byBytes)
        )
        if ([...live].some(name => name.startsWith(prefix)))
          t.true((tree.indexUnder(prefix) ?? 0) >= (last ?? 0))
        for (const name of live) t.is(tree.get(name)?.key, name)
      }
    ),
    { numRuns: 1000 }
  )
})

test('the order of keys is that of their bytes', t => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      t.is(isBefore(a, b), byBytes(a, b) < 0)
    })
  )
})

const mapChange = fc.record({ key, remove: fc.boolean(), value: fc.nat() })

test('look-ups, deletions and walks match a map', t => {
  fc.assert(
    fc.property(fc.array(mapChange, { maxLength: 40 }), key, (changes, asked) => {
      const map = new Map<string, number>()
      const tree = new RadixTree<number>()
      for (const { key: changed, remove, value } of changes) {
        const before = map.get(changed)
        if (remove) map.delete(changed)
        else map.set(changed, value)
        const answer = remove ? tree.delete(changed) : tree.put(changed, value)
        if (answer !== before) return false
      }
      const prefixes = [...map]
        .filter(([label]) => asked.startsWith(label))
        .toSorted((a, b) => b[0].length - a[0].length)
      const below = [...map]
        .filter(([label]) => label.startsWith(asked))
        .toSorted((a, b) => byBytes(a[0], b[0]))
      t.is(tree.size, map.size)
      t.is(tree.get(asked), map.get(asked))
      t.is(tree.longestPrefix(asked), prefixes[0]?.[1])
      t.deepEqual(
        [...tree.walk(asked)],
        below.map(([, value]) => value)
      )
      return true
    }),
    { numRuns: 2000 }
  )
})

test('long keys need few nodes', t => {
  const tree = new RadixTree<number>()
  const long = 'x'.repeat(100_000)
  tree.put(long, 1)
  tree.put(`${long}y`, 2)
  t.is(tree.longestPrefix(`${long}yz`), 2)
  t.deepEqual([...tree.walk('x')], [1, 2])
})
