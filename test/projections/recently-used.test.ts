// Values kept by their last use, within bounds.
import test from 'ava'
import { RecentlyUsed } from '../../projections/recently-used.js'

const make = (count: number, size: number) => {
  const dropped: string[] = []
  const kept = new RecentlyUsed<string>(
    { count, size },
    value => value.length,
    key => dropped.push(key)
  )
  return { kept, dropped }
}

test('beyond the number allowed, the value whose use is the longest ago goes', t => {
  const { kept, dropped } = make(2, 100)
  kept.set('a', '1')
  kept.set('b', '2')
  t.is(kept.get('a'), '1')
  kept.set('c', '3')
  t.deepEqual(dropped, ['b'])
  t.is(kept.get('b'), undefined)
  t.is(kept.get('a'), '1')
  t.is(kept.count, 2)
})

test('values together never take up more than allowed, and one that alone would is not kept', t => {
  const { kept, dropped } = make(10, 7)
  kept.set('a', '111')
  kept.set('b', '222')
  t.deepEqual(dropped, ['a'])
  kept.set('c', '3333333')
  t.is(kept.get('c'), undefined)
  t.is(kept.get('b'), '222')
})

test('a value in place of another, and a deletion, free what they took up', t => {
  const { kept, dropped } = make(10, 5)
  kept.set('a', '111')
  kept.set('a', '2222')
  t.is(kept.get('a'), '2222')
  kept.delete('a')
  kept.set('b', '4444')
  t.is(kept.get('b'), '4444')
  kept.clear()
  t.is(kept.count, 0)
  t.deepEqual(dropped, ['a', 'a', 'b'])
})
