import test from 'ava'
import { ClockWatch } from '../../actors/clock.js'
import { SetClock } from '../../library/testing/set-clock.js'

const begin = () => {
  const clock = new SetClock({ runs: false })
  const watch = new ClockWatch(clock)
  const jumps: number[] = []
  watch.signals.on('jumped', ms => jumps.push(ms))
  return { clock, watch, jumps }
}

test('a jump of over 5 s forward or back is reported once; small corrections are not', t => {
  const { clock, watch, jumps } = begin()
  clock.advance(3_600_000)
  watch.look()
  clock.setBy(5000)
  watch.look()
  t.deepEqual(jumps, [])
  clock.setBy(5001)
  watch.look()
  watch.look()
  clock.setBy(-7_200_000)
  watch.look()
  t.deepEqual(jumps, [5001, -7_200_000])
})

test('nothing is removed before the time has held for a minute: after a start, and after each jump', t => {
  const { clock, watch } = begin()
  t.is(watch.unsteadyFor, 60_000)
  clock.advance(59_999)
  t.is(watch.unsteadyFor, 1)
  clock.advance(1)
  t.is(watch.unsteadyFor, 0)
  // Detected on access, without an earlier check.
  clock.setBy(7_200_000)
  t.is(watch.unsteadyFor, 60_000)
  clock.advance(30_000)
  clock.setBy(-7_200_000)
  t.is(watch.unsteadyFor, 60_000)
  clock.advance(60_000)
  t.is(watch.unsteadyFor, 0)
})
