// What the server tells about itself: to Prometheus, and in the form of go-metrics.
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import test from 'ava'
import { Counter, register as processRegistry } from 'prom-client'
import { allRoutes } from '../../../support/routes.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { busyServer, scrape } from './support.js'

const LARGEST_SCRAPE = 40_000

interface Shown {
  readonly Name: string
  readonly Labels: Readonly<Record<string, string>>
}
interface Observed extends Shown {
  readonly Count: number
  readonly Sum: number
}
interface MetricsResponse {
  readonly Timestamp: string
  readonly Gauges: readonly (Shown & { readonly Value: number })[]
  readonly Points: readonly unknown[]
  readonly Counters: readonly Observed[]
  readonly Samples: readonly Observed[]
}

const metricsOf = async (server: TestServer): Promise<MetricsResponse> =>
  JSON.parse((await server.send('GET', '/v1/agent/metrics')).text)

test('JSON has the fields of go-metrics, whole counts, and nothing that was not observed', async t => {
  const server = await busyServer(t)
  const { Timestamp, Gauges, Points, Counters, Samples } = await metricsOf(server)
  t.regex(Timestamp, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC$/)
  t.deepEqual(Points, [])
  t.true(Gauges.every(gauge => typeof gauge.Value === 'number' && typeof gauge.Labels === 'object'))
  const fields = ['Name', 'Count', 'Rate', 'Sum', 'Min', 'Max', 'Mean', 'Stddev', 'Labels']
  for (const observed of [...Counters, ...Samples]) {
    t.deepEqual(Object.keys(observed), fields)
    t.true(Number.isInteger(observed.Count) && observed.Count > 0, observed.Name)
  }
  const made = Counters.find(({ Labels }) => Labels['path'] === '/v1/acl/token')
  t.like(made, {
    Name: 'annals_http_requests_total',
    Count: 1,
    Sum: 1,
    Labels: { method: 'PUT', status: '200' }
  })
  for (const name of ['annals_http_request_seconds', 'annals_log_flush_seconds', 'annals_dns_answer_seconds'])
    t.true(
      Samples.some(({ Name }) => Name === name),
      name
    )
})

test('the delays of the event loop are measured 20 times a second, since each measurement wakes an idle server', async t => {
  const server = await serverInProcess(t)
  const least = await until('a delay', async () => {
    // Each scrape begins the measurement again, which takes two intervals.
    await pause(200)
    const line = /^annals_nodejs_eventloop_lag_min_seconds (\S+)$/m.exec(await scrape(server))
    return Number(line?.[1]) < 60 && Number(line?.[1])
  })
  t.true(least > 0.045, `${least} s`)
})

test('counts of an interval are shown when it has ended, until the next one has', async t => {
  const server = await serverInProcess(t)
  const countOf = async (): Promise<number | undefined> =>
    (await metricsOf(server)).Counters.find(({ Labels }) => Labels['path'] === '/v1/acl/policies')?.Count
  await server.send('GET', '/v1/acl/policies')
  server.app.metrics.beginInterval()
  await server.send('GET', '/v1/acl/policies')
  await server.send('GET', '/v1/acl/policies')
  t.is(await countOf(), 1)
  server.app.metrics.beginInterval()
  t.is(await countOf(), 2)
})

test('dashboards of the reference find its runtime, with compat alone', async t => {
  const runtime = async (server: TestServer) =>
    (await metricsOf(server)).Gauges.filter(({ Name }) => Name.startsWith('consul.runtime.'))
  const gauges = await runtime(await serverInProcess(t))
  t.deepEqual(gauges.map(({ Name }) => Name.slice('consul.runtime.'.length)).toSorted(), [
    'alloc_bytes',
    'num_goroutines',
    'sys_bytes',
    'total_gc_pause_ns',
    'total_gc_runs'
  ])
  t.true((gauges.find(({ Name }) => Name.endsWith('alloc_bytes'))?.Value ?? 0) > 1_000_000)
  t.true((gauges.find(({ Name }) => Name.endsWith('num_goroutines'))?.Value ?? 0) > 0)
  t.deepEqual(await runtime(await serverInProcess(t, { config: { compat: false } })), [])
})

test('Prometheus sees the log, DNS, denials, streams and what was built', async t => {
  const text = await scrape(await busyServer(t))
  t.regex(text, /annals_build_info\{version="[^"]+",node="v\d[^"]*"\} 1\n/)
  t.regex(text, /annals_acl_denials_total\{permission="key:write"\} 1\n/)
  t.regex(text, /annals_dns_answers_total\{rcode="NXDOMAIN"\} 1\n/)
  t.regex(text, /annals_log_writable 1\n/)
  t.regex(text, /annals_log_flush_seconds_count [1-9]/)
  t.regex(text, /annals_log_flush_commits_sum [1-9]/)
  t.true(Number(/annals_log_bytes (\d+)\n/.exec(text)?.[1]) > 0)
  t.regex(text, /annals_event_stream_lag 0\n/)
  t.regex(text, /annals_auth_failures_total/)
})

test(`a scrape after 100 requests of as many routes is under ${LARGEST_SCRAPE} bytes`, async t => {
  const server = await serverInProcess(t)
  const routes = allRoutes.filter(({ path }) => !/stream|monitor|agent\/reload/.test(path)).slice(0, 100)
  for (const { method, path } of routes) await server.send(method, path.replace('*', 'a'), { body: '{}' })
  const { length } = await scrape(server)
  t.log(`${length} bytes`)
  t.true(length < LARGEST_SCRAPE, String(length))
})

test('the metrics of servers that have ended are not kept by what is measured of the process', async t => {
  const [left]: readonly unknown[] = await once(
    new Worker(join(import.meta.dirname, 'ended-metrics.js')),
    'message'
  )
  t.is(left, 0)
})

test('given other metrics of the program, then a server shows its own', async t => {
  processRegistry.registerMetric(new Counter({ name: 'other_total', help: 'of the program', registers: [] }))
  t.teardown(() => processRegistry.removeSingleMetric('other_total'))
  const shown = await scrape(await serverInProcess(t))
  t.regex(shown, /^annals_process_cpu_seconds_total /m)
  t.notRegex(shown, /other_total/)
})
