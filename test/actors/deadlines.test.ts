import test, { type ExecutionContext } from 'ava'
import { ClockWatch, Deadlines } from '../../actors/clock.js'
import { SetClock } from '../../library/testing/set-clock.js'
import { until } from '../support/wait.js'

const begin = (t: ExecutionContext) => {
  const clock = new SetClock()
  const watch = new ClockWatch(clock)
  const deadlines = new Deadlines(clock, watch)
  t.teardown(() => deadlines.stop())
  const fired: string[] = []
  deadlines.on('a', keys => fired.push(...keys.map(key => `a ${key}`)))
  deadlines.on('b', keys => fired.push(...keys.map(key => `b ${key}`)))
  return { clock, watch, deadlines, fired }
}

test('due deadlines fire at the listener of their kind in order of time; later ones stay', async t => {
  const { deadlines, fired } = begin(t)
  deadlines.after(20, 'a', 'third')
  deadlines.after(-60_000, 'a', 'second')
  deadlines.after(-120_000, 'a', 'first')
  deadlines.after(3_600_000, 'a', 'later')
  await until('three have fired', () => fired.length === 3)
  t.deepEqual(fired, ['a first', 'a second', 'a third'])
  t.is(deadlines.size, 1)
})

test('a deadline farther off than the longest timer does not fire', async t => {
  const { clock, deadlines, fired } = begin(t)
  deadlines.at(clock.now() + 40 * 24 * 3_600_000, 'a', 'far')
  deadlines.after(5, 'b', 'near')
  await until('the near one has fired', () => fired.length > 0)
  t.deepEqual(fired, ['b near'])
  t.is(deadlines.size, 1)
})

test('deadlines of more than one round all fire', async t => {
  const { deadlines, fired } = begin(t)
  for (let i = 0; i < 10_000; i++) deadlines.after(0, 'a', String(i))
  await until('all have fired', () => fired.length === 10_000)
  t.is(new Set(fired).size, 10_000)
})

test('cleared deadlines do not fire', async t => {
  const { deadlines, fired } = begin(t)
  deadlines.after(5, 'a', 'cleared')
  deadlines.clear()
  deadlines.after(5, 'b', 'kept')
  await until('the one after the clearing has fired', () => fired.length > 0)
  t.deepEqual(fired, ['b kept'])
})

test('a clock that is set brings dates nearer, and leaves times where they are', async t => {
  const { clock, watch, deadlines, fired } = begin(t)
  deadlines.at(clock.now() + 3_600_000, 'a', 'date')
  deadlines.after(3_600_000, 'b', 'time')
  clock.setBy(2 * 3_600_000)
  watch.look()
  await until('the date has fired', () => fired.length > 0)
  t.deepEqual(fired, ['a date'])
  clock.advance(2 * 3_600_000)
  deadlines.look()
  await until('the time has fired', () => fired.length > 1)
  t.deepEqual(fired, ['a date', 'b time'])
})
