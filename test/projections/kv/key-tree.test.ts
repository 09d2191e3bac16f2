// Keys in byte order with the index of every prefix, against a sorted list.
import test from 'ava'
import * as fc from 'fast-check'
import { isBefore, KeyTree } from '../../../projections/kv/key-tree.js'

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

test('keys are found, listed and skipped as in a list sorted by bytes', t => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 40 }),
      key,
      key,
      fc.boolean(),
      (changes, prefix, bound, withSubtree) => {
        const tree = new KeyTree<Row>()
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
        t.deepEqual([...tree.walk('', undefined)], sorted)
        const below = sorted.filter(row => row.key.startsWith(prefix))
        t.deepEqual([...tree.walk(prefix, undefined)], below)
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

test('a prefix has the index of its last change, removals included, and places that are freed change nothing else', t => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 40 }),
      fc.array(key, { maxLength: 5 }),
      key,
      (changes, freed, prefix) => {
        const tree = new KeyTree<Row>()
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
          [...tree.walk('', undefined)].map(row => row.key),
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
