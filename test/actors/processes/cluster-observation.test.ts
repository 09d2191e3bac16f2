// How fresh what a server shows is known to be; in virtual time.
import test from 'ava'
import { ClusterObservation } from '../../../actors/processes/cluster-observation.js'
import type { SharedState } from '../../../events/log/cluster/shared-log.js'
import { SetClock } from '../../../library/testing/set-clock.js'

/** A server that looks at the log each 200 ms, which grows by a commit each time, and shows what there was a while ago. */
const behindBy = (ms: number) => {
  const clock = new SetClock({ runs: false })
  let tell: (state: SharedState) => void = () => {}
  let head = 0
  const shared = {
    onRead: (listener: (state: SharedState) => void) => {
      tell = listener
      return () => {}
    }
  }
  const sightings = new ClusterObservation(shared, clock, () => Math.max(head - ms / 200, 0))
  const looks = (count: number): readonly number[] =>
    Array.from({ length: count }, () => {
      clock.advance(200)
      head++
      tell({
        leader: undefined,
        head: { index: head, hash: new Uint8Array(32) },
        floor: 1,
        askedAt: clock.elapsed()
      })
      return sightings.age
    })
  return { sightings, looks }
}

test('a server with a constant lag reports about that age', t => {
  const { sightings, looks } = behindBy(8000)
  looks(100)
  for (const age of looks(100)) t.true(age >= 8000 && age <= 8400, String(age))
  t.true(sightings.isBehind)
})

test('the reported age of a server far behind is only slightly too high', t => {
  const { looks } = behindBy(60_000)
  looks(1000)
  for (const age of looks(500)) t.true(age >= 60_000 && age < 66_000, String(age))
})

test('one that shows everything is as old as its last look', t => {
  const { sightings, looks } = behindBy(0)
  t.deepEqual(looks(3), [0, 0, 0])
  t.false(sightings.isBehind)
})
