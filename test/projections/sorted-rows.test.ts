import test from 'ava'
import { SortedRows } from '../../projections/sorted-rows.js'
import { beginEpoch } from '../../projections/epoch.js'
import { seeded } from '../support/random.js'

interface Row {
  readonly order: string
}

const textOf = (number: number): string => String(number).padStart(4, '0')

test('rows stay in order, and are found behind an order, through additions and deletions in many blocks', t => {
  const random = seeded(7)
  const sorted = new SortedRows<Row>(row => row.order)
  const rows: Row[] = []
  const add = (order: string): void => {
    const row = { order }
    rows.push(row)
    sorted.add(row)
  }
  const check = (): void => {
    beginEpoch()
    const expected = rows.map(({ order }) => order).toSorted()
    const after = textOf(random.below(3000))
    t.deepEqual(
      Array.from(sorted.after(), ({ order }) => order),
      expected
    )
    t.deepEqual(
      Array.from(sorted.after(after), ({ order }) => order),
      expected.filter(order => order > after)
    )
    t.is(sorted.size, rows.length)
  }
  for (let step = 0; step < 6000; step++) {
    const removed = step % 3 === 2 ? rows.splice(random.below(rows.length), 1)[0] : undefined
    if (removed) sorted.delete(removed)
    else add(textOf(random.below(3000)))
    if (step % 500 === 499) check()
  }
  // The first blocks are emptied and filled again.
  rows.sort((a, b) => Number(a.order) - Number(b.order))
  for (const row of rows.splice(0, 1000)) sorted.delete(row)
  check()
  for (let step = 0; step < 600; step++) add(textOf(random.below(1500)))
  check()
  for (const row of rows.splice(0)) sorted.delete(row)
  check()
})

test('a walk that began in an earlier epoch continues in order, though later rows came and were read', t => {
  const random = seeded(11)
  const sorted = new SortedRows<Row>(row => row.order)
  const addMany = (count: number): string[] =>
    Array.from({ length: count }, () => {
      const order = textOf(random.below(10_000))
      sorted.add({ order })
      return order
    })
  const before = addMany(300)
  const walk = sorted.after()[Symbol.iterator]()
  const seen: (string | undefined)[] = []
  const step = (): boolean => {
    const { done, value } = walk.next()
    if (!done) seen.push(value.order)
    return !done
  }
  for (let i = 0; i < 50; i++) step()
  beginEpoch()
  const later = addMany(300)
  t.deepEqual(
    Array.from(sorted.after(), ({ order }) => order),
    [...before, ...later].toSorted()
  )
  while (step());
  t.deepEqual(seen, before.toSorted())
})
