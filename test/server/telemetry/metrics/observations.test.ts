import test from 'ava'
import { intervalText, Series } from '../../../../server/telemetry/metrics/observations.js'

test('an interval has the form of go-metrics', t => {
  const series = new Series('seconds', { path: '/a' })
  for (const value of [1, 2, 3, 4]) series.add(value)
  t.deepEqual(series.toJson(), [
    {
      Name: 'seconds',
      Count: 4,
      Rate: 1,
      Sum: 10,
      Min: 1,
      Max: 4,
      Mean: 2.5,
      Stddev: Math.sqrt(5 / 3),
      Labels: { path: '/a' }
    }
  ])
})

test('a single observation has no deviation', t => {
  const series = new Series('seconds')
  series.add(0.1)
  t.like(series.toJson()[0], { Count: 1, Min: 0.1, Max: 0.1, Mean: 0.1, Stddev: 0 })
})

test('the first interval is shown while it lasts, then always the one that ended last', t => {
  const series = new Series('samples')
  series.add(1)
  t.like(series.toJson()[0], { Count: 1 })
  series.beginInterval()
  series.add(1)
  series.add(1)
  t.like(series.toJson()[0], { Count: 1 })
  series.beginInterval()
  t.like(series.toJson()[0], { Count: 2 })
  series.beginInterval()
  t.deepEqual(series.toJson(), [])
})

test('the begin of an interval is a time as Go prints it, to the second', t => {
  t.is(intervalText(Date.UTC(2026, 10, 22, 5, 30, 9, 600)), '2026-11-22 05:30:10 +0000 UTC')
})
