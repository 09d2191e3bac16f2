import { getEventListeners } from 'node:events'
import test from 'ava'
import { ClockWatch, Deadlines, Timers } from '../../actors/clock.js'
import { SetClock } from '../../library/testing/set-clock.js'
import { until } from '../support/wait.js'

test('a pause that has ended leaves no listener on its signal', async t => {
  const clock = new SetClock({ runs: false })
  const deadlines = new Deadlines(clock, new ClockWatch(clock))
  const timers = new Timers(deadlines)
  t.teardown(() => deadlines.stop())
  const { signal } = new AbortController()
  let hasEnded = false
  void timers.pause(100, signal).then(() => (hasEnded = true))
  t.is(getEventListeners(signal, 'abort').length, 1)
  clock.advance(100)
  deadlines.look()
  await until('the pause ends', () => hasEnded)
  t.is(getEventListeners(signal, 'abort').length, 0)
})
