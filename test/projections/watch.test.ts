import test from 'ava'
import { Watch } from '../../projections/watch.js'

test('a change wakes those who named it, once, and nobody else', t => {
  const watch = new Watch()
  const woken: string[] = []
  watch.wait(['a', 'b'], () => woken.push('ab'))
  watch.wait(['b'], () => woken.push('b'))
  watch.wait(['c'], () => woken.push('c'))
  watch.touch('a')
  watch.touch('a')
  t.deepEqual(woken, ['ab'])
  watch.touch('b')
  t.deepEqual(woken, ['ab', 'b'])
  t.is(watch.size, 1)
})

test('who stops waiting is not woken and leaves nothing behind', t => {
  const watch = new Watch()
  const stop = watch.wait(['a', 'b'], () => t.fail())
  stop()
  stop()
  watch.touch('a')
  t.is(watch.size, 0)
})

test('who waits again while being woken is woken by the next change', t => {
  const watch = new Watch()
  let times = 0
  const wait = (): void => {
    watch.wait(['a'], () => {
      times++
      wait()
    })
  }
  wait()
  watch.touch('a')
  watch.touch('a')
  t.is(times, 2)
  t.is(watch.size, 1)
})

test('touchAll wakes everybody', t => {
  const watch = new Watch()
  const woken: string[] = []
  for (const key of ['a', 'b', 'c']) watch.wait([key], () => woken.push(key))
  watch.touchAll()
  t.deepEqual(woken, ['a', 'b', 'c'])
  t.is(watch.size, 0)
})
