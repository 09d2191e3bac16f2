import test from 'ava'
import { retainedByCursors } from '../../../actors/processes/log-retention.js'

const pieces = [10, 20, 30, 40].map(last => ({ last, bytes: 100 }))
const at = (Index: number, Name = 'a') => ({ Name, Index })
const upTo = (index: number, cursors: Parameters<typeof retainedByCursors>[2], most = 1000): number =>
  retainedByCursors(pieces, index, cursors, most).upTo

test('whole pieces go that every cursor has passed', t => {
  t.is(upTo(30, []), 30)
  t.is(upTo(30, [at(30), at(99)]), 30)
  t.is(upTo(30, [at(29)]), 20)
  t.is(upTo(30, [at(20)]), 20)
  t.is(upTo(30, [at(25, 'a'), at(12, 'b')]), 10)
  t.is(upTo(30, [at(5)]), 0)
  t.is(upTo(0, [at(5)]), 0)
})

test('a cursor keeps what it has not passed of what may go, up to so many bytes', t => {
  const { retaining } = retainedByCursors(pieces, 30, [at(5), at(20, 'b'), at(30, 'c')], 1000)
  t.deepEqual(retaining, [
    { name: 'a', index: 5, bytes: 300 },
    { name: 'b', index: 20, bytes: 100 }
  ])
  t.is(upTo(30, [at(5)], 300), 0)
  t.is(upTo(30, [at(5)], 299), 30)
  t.is(upTo(30, [at(5), at(20, 'b')], 299), 20)
  t.is(upTo(30, [at(20)], 0), 30)
})
