// Views of collections, which keep their state through a new epoch.
import fc from 'fast-check'
import test from 'ava'
import { beginEpoch } from '../../projections/epoch.js'
import { RadixTree } from '../../projections/radix-tree.js'
import { SortedRows } from '../../projections/sorted-rows.js'

interface Row {
  readonly key: string
}

/** A walk that has taken some rows, with the rows that are left. */
interface OpenWalk {
  readonly rows: Iterator<Row>
  readonly left: readonly Row[]
}

const take = (rows: Iterator<Row>, count: number): Row[] => {
  const taken: Row[] = []
  while (taken.length < count) {
    const { done, value } = rows.next()
    if (done) break
    taken.push(value)
  }
  return taken
}

const byKey = (rows: Iterable<Row>): Row[] =>
  [...rows].toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
const keysOf = (rows: readonly Row[]): string[] => rows.map(row => row.key)

const key = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 4 }).map(parts => parts.join(''))
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), key }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('remove' as const), key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('get' as const), key }) },
  fc.record({ kind: fc.constant('prune' as const), key }),
  fc.record({ kind: fc.constant('view' as const), key, taken: fc.nat({ max: 5 }) })
)

test('a walk of a tree returns the keys of its begin, whatever changes in later epochs', t => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, changes) => {
      const tree = new RadixTree<Row>()
      // A commit has several changes.
      const indexOf = (at: number): number => Math.floor(at / changes) + 1
      const model = new Map<string, Row>()
      const walks: OpenWalk[] = []
      for (const [i, one] of steps.entries()) {
        const row = { key: one.key }
        if (one.kind === 'put') {
          t.is(tree.put(one.key, row, indexOf(i)), model.get(one.key))
          model.set(one.key, row)
        } else if (one.kind === 'remove') {
          t.is(tree.remove(one.key, indexOf(i)), model.get(one.key))
          model.delete(one.key)
        } else if (one.kind === 'get') {
          t.is(tree.get(one.key), model.get(one.key))
        } else if (one.kind === 'prune') {
          if (!model.has(one.key)) tree.prune(one.key)
        } else {
          const rows = [...tree.walk(one.key)]
          const opened = tree.view().walk(one.key)[Symbol.iterator]()
          t.deepEqual(take(opened, one.taken), rows.slice(0, one.taken))
          walks.push({ rows: opened, left: rows.slice(one.taken) })
          beginEpoch()
        }
      }
      for (const { rows, left } of walks) t.deepEqual(take(rows, Infinity), left)
      t.deepEqual(byKey(tree.walk('')), byKey(model.values()))
    }),
    { numRuns: 1000 }
  )
})

const order = fc.nat({ max: 2000 }).map(number => String(number).padStart(4, '0'))
const change = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), order, many: fc.integer({ min: 1, max: 600 }) }),
  fc.record({ kind: fc.constant('delete' as const), order, many: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ kind: fc.constant('view' as const), order, many: fc.nat({ max: 600 }) })
)

test('sorted rows are listed like a sorted array, and a walk returns the rows of its begin', t => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), changes => {
      const sorted = new SortedRows<Row>(row => row.key)
      const model: Row[] = []
      const walks: OpenWalk[] = []
      for (const [i, one] of changes.entries()) {
        if (one.kind === 'add')
          for (let n = 0; n < one.many; n++) {
            // Several rows have the same order.
            const row = { key: String((n * 7919 + i * 13) % 2000).padStart(4, '0') }
            sorted.add(row)
            model.push(row)
          }
        else if (one.kind === 'delete')
          for (const row of model.splice(0, one.many).toReversed()) sorted.delete(row)
        else {
          const after = one.many % 2 === 0 ? undefined : one.order
          const rows = byKey(model.filter(row => after === undefined || row.key > after))
          const opened = sorted.after(after)[Symbol.iterator]()
          t.deepEqual(keysOf(take(opened, one.many)), keysOf(rows.slice(0, one.many)))
          walks.push({ rows: opened, left: rows.slice(one.many) })
          beginEpoch()
        }
        t.is(sorted.size, model.length)
      }
      for (const { rows, left } of walks) t.deepEqual(keysOf(take(rows, Infinity)), keysOf(left))
      t.deepEqual(keysOf(sorted.values()), keysOf(byKey(model)))
    }),
    { numRuns: 150 }
  )
})
