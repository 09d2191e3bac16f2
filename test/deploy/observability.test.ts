// The dashboard and the alert rules ask for what servers tell, and Prometheus understands them.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { load } from 'js-yaml'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import { TestCluster } from '../support/cluster.js'
import { startDatacenters } from '../support/datacenters.js'
import { ask } from '../support/dns.js'
import { freePort, projectRoot, temporaryFolder } from '../support/process.js'
import { missing } from '../support/programs.js'
import { receiver } from '../support/webhook-receiver.js'
import { ROOT, serverInProcess, type TestServer } from '../support/server.js'
import { until } from '../support/wait.js'
import { serverWithWorker } from '../support/worker.js'
import { createToken } from '../http/support.js'

const run = promisify(execFile)
const folder = join(projectRoot, 'deploy/observability')
const ALERTS = join(folder, 'alerts.yaml')

const Rules = Type.Object({
  groups: Type.Array(
    Type.Object({ rules: Type.Array(Type.Object({ alert: Type.String(), expr: Type.String() })) })
  )
})
const Dashboard = Type.Object({
  panels: Type.Array(
    Type.Object({
      type: Type.String(),
      title: Type.String(),
      targets: Type.Optional(Type.Array(Type.Object({ expr: Type.String() })))
    })
  ),
  templating: Type.Object({ list: Type.Array(Type.Object({ query: Type.String() })) })
})

const rules = () =>
  Value.Parse(Rules, load(readFileSync(ALERTS, 'utf8'))).groups.flatMap(group => group.rules)

/** What a panel asks, and the row that it stands in. */
interface Query {
  readonly row: string
  readonly title: string
  readonly expr: string
}

const dashboard = () => {
  const text = readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8')
  const { panels, templating } = Value.Parse(Dashboard, JSON.parse(text))
  const queries: Query[] = []
  let row = ''
  for (const { type, title, targets = [] } of panels) {
    if (type === 'row') row = title
    for (const { expr } of targets) queries.push({ row, title, expr })
  }
  return { queries, variables: templating.list.map(({ query }) => query) }
}

const SCRAPE = '/v1/agent/metrics?format=prometheus'

/** Names of the samples in a scrape. A metric without a value yet counts, too. */
const namesIn = (scrape: string): readonly string[] =>
  [...scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map(end => name + end) : [name]
  )

test('every query of the dashboard and of the alert rules is of metrics that servers tell', async t => {
  const { main } = await serverWithWorker(t, { config: { ports: { http: 0, dns: 0 } } })
  const cluster = new TestCluster(t)
  const [leader] = await cluster.startAll('one', 'two')
  const dc2 = (await startDatacenters(t, { names: ['dc1', 'dc2'] })).at('dc2')
  const scrapes = await Promise.all(
    [main, leader, dc2].map(async one => (await one?.send('GET', SCRAPE))?.text ?? '')
  )
  const known = new Set(scrapes.flatMap(namesIn))
  const { queries, variables } = dashboard()
  const asked = [...queries, ...rules()].map(({ expr }) => expr)
  t.true(queries.length > 40)
  for (const expr of [...asked, ...variables])
    for (const [name] of expr.matchAll(/\bannals_\w+/g)) t.true(known.has(name), `${name} in ${expr}`)
})

test('each alert has a line in the documentation that says what to do, and no other one has', t => {
  const page = readFileSync(join(projectRoot, 'docs/how-to/monitor.md'), 'utf8')
  const alerts = [...page.matchAll(/^\| `(Annals\w+)`/gm)].map(([, name]) => name)
  t.deepEqual(
    alerts,
    rules().map(({ alert }) => alert)
  )
})

test('promtool takes the alert rules, the cases that show them, and the configuration', async t => {
  if (await missing(t, 'promtool')) return
  for (const args of [
    ['check', 'rules', ALERTS],
    ['test', 'rules', join(folder, 'alerts.test.yaml')],
    ['check', 'config', join(folder, 'prometheus.yaml')]
  ])
    t.regex((await run('promtool', args)).stdout, /SUCCESS/, args.join(' '))
})

/** Rows of what not every server has. */
const ELSEWHERE: readonly string[] = ['Cluster', 'Workers', 'Datacenters']

/** Lets a member of a consumer group reject a unit, and receive it again. */
const redeliver = async (server: TestServer): Promise<void> => {
  const path = '/v1/event/cursor/group'
  await server.send('PUT', path, { body: { Topics: ['KV'], Group: {} } })
  await server.send('PUT', '/v1/kv/unit', { body: 'a' })
  const { text } = await server.send('POST', `${path}/receive?member=one&wait=10s`)
  const [unit]: readonly { readonly Receipt: string }[] = JSON.parse(text)
  const rejected = server.send('POST', `${path}/nack`, { body: { Receipts: [unit?.Receipt] } })
  await server.send('POST', `${path}/receive?member=one&wait=10s`)
  server.advance(1000)
  await rejected
}

/** A server on which everything has happened that the dashboard shows. */
const busyServer = async (t: ExecutionContext): Promise<TestServer> => {
  const hook = await receiver(t)
  const server = await serverInProcess(t, {
    log: 'disk',
    config: {
      ports: { http: 0, dns: 0 },
      outgoing: { allow: ['127.0.0.1/32'] },
      limits: { auth_failures: 1, auth_failures_burst: 1 }
    }
  })
  const { SecretID: token } = await createToken(server)
  await server.send('PUT', '/v1/event/cursor/hook', { body: { Topics: ['KV'], URL: hook.url } })
  await server.send('PUT', '/v1/kv/a', { body: 'a' })
  await server.send('PUT', '/v1/kv/a', { token, body: 'a' })
  for (let i = 0; i < 3; i++) await server.send('GET', '/v1/acl/tokens', { token: 'none' })
  await redeliver(server)
  await ask(server.dnsPort ?? 0, 'none.service.consul', 'A')
  await until('the webhook was called', () => hook.calls.length > 0)
  return server
}

/** Starts Prometheus, which ends with the test, and reads the metrics of a server again and again. */
const prometheusOf = async (t: ExecutionContext, server: TestServer): Promise<string> => {
  const data = temporaryFolder(t)
  const config = join(data, 'prometheus.json')
  const job = {
    job_name: 'annals',
    metrics_path: '/v1/agent/metrics',
    params: { format: ['prometheus'] },
    authorization: { credentials: ROOT },
    static_configs: [{ targets: [`127.0.0.1:${server.port}`] }]
  }
  const global = { scrape_interval: '200ms', scrape_timeout: '200ms' }
  writeFileSync(config, JSON.stringify({ global, scrape_configs: [job] }))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(data, 'tsdb')}`,
      `--web.listen-address=${address}`
    ],
    { stdio: 'ignore' }
  )
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return `http://${address}`
}

const Answered = Type.Object({
  status: Type.Literal('success'),
  data: Type.Object({ result: Type.Array(Type.Unknown()) })
})

test('Prometheus answers every query of the dashboard from what it has read of a server', async t => {
  if (await missing(t, 'prometheus')) return
  const server = await busyServer(t)
  const base = await prometheusOf(t, server)
  const found = async (expr: string): Promise<number> => {
    const query = expr.replaceAll('$__rate_interval', '1h').replaceAll(/\$(job|instance)/g, '.*')
    const response = await fetch(`${base}/api/v1/query?query=${encodeURIComponent(query)}`)
    return Value.Parse(Answered, await response.json()).data.result.length
  }
  await until('it has read them twice', () =>
    found('sum_over_time(up[1h]) > 1').then(
      count => count > 0,
      () => false
    )
  )
  // What a server has been too busy to answer once is absent until Prometheus reads it again.
  for (const { row, title, expr } of dashboard().queries)
    if (!ELSEWHERE.includes(row))
      await until(`${row}: ${title}: ${expr}`, async () => (await found(expr)) > 0)
  t.pass()
})
