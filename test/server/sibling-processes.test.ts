// What the other processes of a server have, one by one and together.
import test from 'ava'
import { SiblingProcesses } from '../../http/wire/sibling-processes.js'

test('the total of the other processes is the sum of their last reports', t => {
  const others = new SiblingProcesses()
  const take = (
    by: number,
    address: string,
    count: number,
    what: 'connections' | 'streams' = 'connections'
  ) => others.take(by, { what, address, count })
  take(1, 'a', 3)
  take(1, 'b', 2)
  take(2, 'a', 4)
  take(2, 'a', 1, 'streams')
  t.deepEqual([others.all('connections'), others.from('connections', 'a'), others.all('streams')], [9, 7, 1])
  take(1, 'a', 1)
  take(1, 'b', 0)
  take(1, 'b', 0)
  t.deepEqual([others.all('connections'), others.from('connections', 'b')], [5, 0])
  others.forget(2)
  others.forget(2)
  t.deepEqual([others.all('connections'), others.all('streams')], [1, 0])
  others.forgetAll()
  t.deepEqual([others.all('connections'), others.from('connections', 'a')], [0, 0])
  take(1, 'a', 2)
  t.is(others.all('connections'), 2)
})
