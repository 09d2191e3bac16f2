// Work on many items that lets other work run in between.
import test from 'ava'
import { pagesOf } from '../../events/turns.js'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

test('pages hold all items in order, and end after the last one', async t => {
  for (const count of [0, 1, 1023, 1024, 1025, 5000]) {
    const found: number[] = []
    for await (const page of pagesOf(numbers(count))) {
      t.true(page.length <= 1024)
      found.push(...page)
    }
    t.deepEqual(found, numbers(count))
  }
})

test('other work runs between pages', async t => {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  let pages = 0
  for await (const _ of pagesOf(numbers(10_240))) pages++
  isDone = true
  t.is(pages, 10)
  t.true(turns >= 9)
})
