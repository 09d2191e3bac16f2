// Limits that all processes of a server keep together.
import { connect } from 'node:net'
import { once } from 'node:events'
import { Agent } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { openStream } from '../../../support/stream.js'
import { ROOT } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { serverWithWorker } from '../../../support/worker.js'

const connection = async (t: ExecutionContext, port: number): Promise<void> => {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
}

test('failures of tokens count over all processes', async t => {
  const config = { limits: { auth_failures: 1, auth_failures_burst: 4 } }
  const { main, worker } = await serverWithWorker(t, { config })
  const statusOf = async (one: Pick<typeof main, 'send'>): Promise<number> =>
    (await one.send('GET', '/v1/acl/token/self', { token: 'guess' })).status
  t.deepEqual([await statusOf(main), await statusOf(worker)], [403, 403])
  t.deepEqual([await statusOf(main), await statusOf(worker)], [403, 403])
  await until('the main process has heard of them', async () => (await statusOf(main)) === 429)
  await until('the worker has heard of them', async () => (await statusOf(worker)) === 429)
  t.is((await worker.send('GET', '/v1/acl/token/self')).status, 200)
})

test('connections count over all processes', async t => {
  const { main, worker, another } = await serverWithWorker(t, { config: { limits: { http_max_conns: 3 } } })
  for (const port of [main.port, main.port, worker.port]) await connection(t, port)
  const agent = new Agent()
  for (const one of [main, worker, await another()])
    await until(
      'one more is refused',
      async () => (await one.send('GET', '/v1/kv/a', { agent })).status === 503
    )
  await worker.close()
  const { status } = await main.send('GET', '/v1/kv/a', { agent })
  t.true([404, 503].includes(status))
})

test('streams of one address count over all processes', async t => {
  const config = { stream: { max_connections_per_address: 2 } }
  const { main, worker } = await serverWithWorker(t, { config })
  const open = async (base: string): Promise<number> => {
    const stream = await openStream(base, 'topic=KV', { token: ROOT })
    t.teardown(() => stream.close())
    return stream.status
  }
  t.is(await open(main.base), 200)
  await until('the worker has heard of it', async () => worker.messages.length > 0)
  t.is(await open(worker.base), 200)
  await until('one more is refused', async () => (await open(main.base)) === 429)
  t.is(await open(worker.base), 429)
})
