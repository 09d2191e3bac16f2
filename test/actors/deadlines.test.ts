import test, { type ExecutionContext } from 'ava'
import { ClockWatch } from '../../actors/clock-watch.js'
import { Deadlines } from '../../actors/deadlines.js'
import { SetClock } from '../../library/testing/set-clock.js'
import { until } from '../support/wait.js'

const begin = (t: ExecutionContext) => {
  const clock = new SetClock()
  const watch = new ClockWatch(clock)
  const deadlines = new Deadlines(clock, watch)
  t.teardown(() => deadlines.stop())
  const told: string[] = []
  deadlines.on('a', keys => told.push(...keys.map(key => `a ${key}`)))
  deadlines.on('b', keys => told.push(...keys.map(key => `b ${key}`)))
  return { clock, watch, deadlines, told }
}

test('what is due is told to whoever registered for its kind, in the order of time; the rest stands', async t => {
  const { deadlines, told } = begin(t)
  deadlines.after(20, 'a', 'third')
  deadlines.after(-1, 'a', 'second')
  deadlines.after(-2, 'a', 'first')
  deadlines.after(3_600_000, 'a', 'later')
  await until('three are told', () => told.length === 3)
  t.deepEqual(told, ['a first', 'a second', 'a third'])
  t.is(deadlines.size, 1)
})

test('a deadline farther off than the longest timer does not fire', async t => {
  const { clock, deadlines, told } = begin(t)
  deadlines.at(clock.now() + 40 * 24 * 3_600_000, 'a', 'far')
  deadlines.after(5, 'b', 'near')
  await until('the near one is told', () => told.length > 0)
  t.deepEqual(told, ['b near'])
  t.is(deadlines.size, 1)
})

test('more than one round can hold are all told', async t => {
  const { deadlines, told } = begin(t)
  for (let i = 0; i < 10_000; i++) deadlines.after(0, 'a', String(i))
  await until('all are told', () => told.length === 10_000)
  t.is(new Set(told).size, 10_000)
})

test('what was cleared is not told', async t => {
  const { deadlines, told } = begin(t)
  deadlines.after(5, 'a', 'cleared')
  deadlines.clear()
  deadlines.after(5, 'b', 'kept')
  await until('the one after the clearing is told', () => told.length > 0)
  t.deepEqual(told, ['b kept'])
})

test('a clock that is set brings dates nearer, and leaves times where they are', async t => {
  const { clock, watch, deadlines, told } = begin(t)
  deadlines.at(clock.now() + 3_600_000, 'a', 'date')
  deadlines.after(3_600_000, 'b', 'time')
  clock.setBy(2 * 3_600_000)
  watch.look()
  await until('the date is told', () => told.length > 0)
  t.deepEqual(told, ['a date'])
  clock.advance(2 * 3_600_000)
  deadlines.look()
  await until('the time is told', () => told.length > 1)
  t.deepEqual(told, ['a date', 'b time'])
})
