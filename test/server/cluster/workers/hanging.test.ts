// A worker whose process hangs is detected, killed and restarted.
import { Agent } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { openLog } from '../../../../server/open-log.js'
import { createLogger } from '../../../../server/telemetry/logging/logger.js'
import { LOGGER } from '../../../../server/settings/ports.js'
import { WORKER_STATES, type WorkerState } from '../../../../http/routes/agent/worker-states.js'
import { Workers } from '../../../../server/cluster/workers/workers.js'
import { send, type TestResponse } from '../../../support/client.js'
import { DISK_TIMEOUT_MS, ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

interface ServerWithProcess {
  readonly main: TestServer
  readonly worker: () => WorkerState
  /** Reads over a connection of its own. */
  readonly read: (path: string) => Promise<TestResponse>
}

/** A server in this process, by a clock that the test moves, with one worker that is a process of its own. */
const serverWithProcess = async (
  t: ExecutionContext,
  write: (line: string) => void = () => {}
): Promise<ServerWithProcess> => {
  const main = await serverInProcess(t, {
    config: { workers: 1 },
    register: scope =>
      scope.registerInstance(LOGGER, createLogger({ log: { level: 'error', pretty: false } }, { write })),
    open: async settings => {
      const workers = new Workers(settings)
      const log = await openLog(settings, { feed: workers.logFeed, patience: DISK_TIMEOUT_MS })
      workers.use(log)
      return { log, workers }
    }
  })
  const worker = (): WorkerState => {
    const [state] = main.scope.resolve(WORKER_STATES)()
    if (!state) throw new Error('the server has no worker')
    return state
  }
  await until('the worker listens', () => worker().state === 'listening')
  const read = async (path: string): Promise<TestResponse> => {
    const agent = new Agent()
    try {
      return await send(main.base, 'GET', path, { token: ROOT, agent })
    } finally {
      agent.destroy()
    }
  }
  return { main, worker, read }
}

const metric = (text: string, name: string): string | undefined =>
  text.split('\n').find(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `))

/** Reads that all processes have answered together. */
const counted = (text: string): number =>
  Number(
    /^annals_http_requests_total\{method="GET",path="\/v1\/kv\/\*key",status="200"\} (\d+)$/m.exec(text)?.[1]
  )

test('a stopped worker is killed and restarted, and its waiting requests fail', async t => {
  const lines: string[] = []
  const { main, worker, read } = await serverWithProcess(t, line => lines.push(line))
  await main.send('PUT', '/v1/kv/a', { body: '1' })
  for (let i = 0; i < 16; i++) await read('/v1/kv/a?raw')
  const before = counted(await main.app.metrics.prometheus())
  t.is(before, 16)
  const { pid = 0 } = worker()
  process.kill(pid, 'SIGSTOP')
  // Some of these are on connections of the worker.
  const reads = Promise.allSettled(Array.from({ length: 16 }, () => read('/v1/kv/a?raw')))
  await until('it is killed', () => {
    main.advance(1000)
    return worker().pid !== pid
  })
  for (const result of await reads)
    if (result.status === 'fulfilled') t.is(result.value.text, '1')
    else t.regex(String(result.reason), /ECONNRESET|socket hang up/)
  await until('another one is started', () => {
    if (worker().state === 'ended') main.advance(100)
    return worker().state !== 'ended'
  })
  await until('another one listens', () => worker().state === 'listening')
  t.not(worker().pid, pid)
  t.true(counted(await main.app.metrics.prometheus()) >= before)
  for (let i = 0; i < 8; i++) t.is((await read('/v1/kv/a?raw')).text, '1')
  t.is(
    metric(await main.app.metrics.prometheus(), 'annals_worker_ends_total'),
    'annals_worker_ends_total{kind="hung"} 1'
  )
  t.is(lines.filter(line => line.includes('stopped answering and was killed')).length, 1)
})

test('metrics are returned without a silent worker, and report it', async t => {
  const { main, worker } = await serverWithProcess(t)
  process.kill(worker().pid ?? 0, 'SIGSTOP')
  const asked = main.app.metrics.prometheus()
  await until('it is silent', () => {
    if (worker().state !== 'silent') main.advance(1000)
    return worker().state === 'silent'
  })
  t.truthy(await asked)
  const text = await main.app.metrics.prometheus()
  t.is(metric(text, 'annals_worker_up'), 'annals_worker_up{worker="1"} 0')
  t.is(metric(text, 'annals_workers'), 'annals_workers 0')
  process.kill(worker().pid ?? 0, 'SIGCONT')
  await until('it listens again', () => worker().state === 'listening')
})

test('a server ends although a worker hangs', async t => {
  const { main, worker } = await serverWithProcess(t)
  process.kill(worker().pid ?? 0, 'SIGSTOP')
  let isClosed = false
  const closed = main.close().then(() => (isClosed = true))
  await until('it has ended', () => {
    main.advance(1000)
    return isClosed
  })
  t.true(await closed)
})

test('the server tells of each worker: its process, how far it is, and its memory', async t => {
  const { main, worker, read } = await serverWithProcess(t)
  const index = Number((await main.send('PUT', '/v1/kv/a', { body: '1' })).headers['x-service-index'])
  while (worker().sign?.index !== index) {
    const { sign } = worker()
    main.advance(1000)
    await until('the worker gives a sign of life', () => worker().sign !== sign)
  }
  const self: { readonly Stats: Readonly<Record<string, Readonly<Record<string, string>>>> } = JSON.parse(
    (await read('/v1/agent/self')).text
  )
  const { pid, state, since = '', applied_index, behind_commits, memory_bytes } = self.Stats['worker_1'] ?? {}
  t.is(pid, String(worker().pid))
  t.is(state, 'listening')
  t.false(Number.isNaN(Date.parse(since)))
  t.is(applied_index, String(index))
  t.is(behind_commits, '0')
  t.true(Number(memory_bytes) > 1e6)
  const { text } = await read('/v1/agent/metrics?format=prometheus')
  t.is(metric(text, 'annals_worker_up'), 'annals_worker_up{worker="1"} 1')
  t.is(metric(text, 'annals_worker_behind_commits'), 'annals_worker_behind_commits{worker="1"} 0')
  t.truthy(metric(text, 'annals_worker_resident_memory_bytes'))
  t.truthy(metric(text, 'annals_worker_start_time_seconds'))
})
