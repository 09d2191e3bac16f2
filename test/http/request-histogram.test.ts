import test from 'ava'
import { Registry } from 'prom-client'
import { RequestHistogram } from '../../http/request-histogram.js'

const histogram = (registry: Registry): RequestHistogram =>
  new RequestHistogram({
    name: 'seconds',
    help: 'How long it took',
    labelNames: ['method', 'path', 'status'],
    buckets: [0.1, 1],
    registers: [registry]
  })
const labels = { method: 'GET', path: '/a "b"', status: '200' }

test('a sample counts in its bucket and in all above, up to the bound itself', async t => {
  const registry = new Registry()
  const samples = histogram(registry).series(labels)
  for (const value of [0.05, 0.1, 0.5, 7]) samples.add(value)
  const shown = 'method="GET",path="/a \\"b\\"",status="200"'
  t.deepEqual((await registry.metrics()).trimEnd().split('\n'), [
    '# HELP seconds How long it took',
    '# TYPE seconds histogram',
    `seconds_bucket{le="0.1",${shown}} 2`,
    `seconds_bucket{le="1",${shown}} 3`,
    `seconds_bucket{le="+Inf",${shown}} 4`,
    `seconds_sum{${shown}} ${0.05 + 0.1 + 0.5 + 7}`,
    `seconds_count{${shown}} 4`
  ])
})

test('as JSON it has the same values, each with all its labels', async t => {
  const registry = new Registry()
  histogram(registry).series(labels).add(0.5)
  const [metric] = await registry.getMetricsAsJSON()
  t.deepEqual(
    metric?.values.map(({ labels: given, value }) => [given, value]),
    [
      [{ le: 0.1, ...labels }, 0],
      [{ le: 1, ...labels }, 1],
      [{ le: '+Inf', ...labels }, 1],
      [labels, 0.5],
      [labels, 1]
    ]
  )
})
