// What only grows, when a process has ended.
import test from 'ava'
import { RetiredCounters } from '../../../../server/telemetry/metrics/retired-counters.js'
import { Metrics } from '../../../../server/telemetry/metrics/metrics.js'
import { SetClock } from '../../../../library/testing/set-clock.js'

/** The metrics of a process that has counted so much. */
const counting = async (times: number) => {
  const metrics = new Metrics(new SetClock({ runs: false }))
  const count = metrics.counter('events_total', 'Events', 'kind')
  const sizes = metrics.distribution('size', 'Sizes', { buckets: [1, 10] })
  for (let i = 0; i < times; i++) {
    count('a')
    sizes.add(5)
  }
  metrics.gauge('now', 'What there is now', () => times)
  return metrics
}

test('counters and distributions of processes that have ended stay in the sum; what they had does not', async t => {
  const ended = new RetiredCounters()
  for (const times of [3, 4, 5]) ended.add(await (await counting(times)).ofProcess())
  const metrics = await counting(1)
  metrics.tellAlso(async () => [await ended.sum()])
  const text = await metrics.prometheus()
  t.regex(text, /^events_total\{kind="a"\} 13$/m)
  t.regex(text, /^size_bucket\{le="10"\} 13$/m)
  t.regex(text, /^size_sum 65$/m)
  t.regex(text, /^now 1$/m)
})
