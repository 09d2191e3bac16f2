// What those who keep a server running ask: whether it lives, and whether requests may be sent to it.
import test from 'ava'
import { ShutdownSignal } from '../../../../http/wire/shutdown-signal.js'
import { TestCluster } from '../../../support/cluster.js'
import { gatedLog } from '../../../support/gated-log.js'
import { serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

const READY = { Ready: true, Log: 'writable', ReadModels: 'current', Leader: 'known', Ending: false }

test('a server that runs is alive and ready, also for who has no token, and for HEAD', async t => {
  const server = await serverInProcess(t)
  const alive = await server.send('GET', '/healthz', { token: undefined })
  t.deepEqual([alive.status, alive.text], [200, 'ok'])
  const ready = await server.send('GET', '/readyz', { token: 'unknown secret' })
  t.is(ready.status, 200)
  t.deepEqual(JSON.parse(ready.text), READY)
  for (const path of ['/healthz', '/readyz']) {
    const { status, text } = await server.send('HEAD', path)
    t.deepEqual([status, text], [200, ''])
    const refused = await server.send('PUT', path)
    t.deepEqual([refused.status, refused.headers['allow']], [405, 'OPTIONS,GET,HEAD'])
  }
})

test('while a flush takes long, probes are answered; when it fails the server is alive and not ready', async t => {
  const gate = gatedLog()
  const server = await serverInProcess(t, { log: gate.log })
  gate.hold()
  const write = server.send('PUT', '/v1/kv/a', { body: '1' })
  await until('the write is decided', () => !server.app.committer.isDurable())
  t.is((await server.send('GET', '/healthz')).status, 200)
  t.is((await server.send('GET', '/readyz')).status, 200)

  gate.fail()
  await write
  const { status, text } = await server.send('GET', '/readyz')
  t.is(status, 503)
  t.like(JSON.parse(text), { Ready: false, Log: 'not writable' })
  t.is((await server.send('HEAD', '/readyz')).status, 503)
  t.is((await server.send('GET', '/healthz')).status, 200)

  gate.heal()
  await until('it is ready again', async () => (await server.send('GET', '/readyz')).status === 200)
})

test('a server is not ready while it rebuilds the read models', async t => {
  const server = await serverInProcess(t)
  let finish = (): void => {}
  const made = server.app.committer.exchange(() => new Promise(resolve => (finish = resolve)))
  const { status, text } = await server.send('GET', '/readyz')
  t.is(status, 503)
  t.like(JSON.parse(text), { Ready: false, ReadModels: 'being made' })
  t.is((await server.send('GET', '/healthz')).status, 200)
  finish()
  await made
  t.is((await server.send('GET', '/readyz')).status, 200)
})

test('a server that is shutting down is not ready', async t => {
  const server = await serverInProcess(t)
  server.scope.resolve(ShutdownSignal).begin()
  const { status, text } = await server.send('GET', '/readyz')
  t.is(status, 503)
  t.like(JSON.parse(text), { Ready: false, Ending: true })
})

test('a server of a cluster is ready while it knows a leader', async t => {
  const cluster = new TestCluster(t)
  const [one, two] = await cluster.startAll('one', 'two')
  for (const server of [one, two]) t.is((await server?.send('GET', '/readyz'))?.status, 200)
  two?.shared.cut()
  cluster.advance(60_000)
  const cut = await two?.send('GET', '/readyz')
  t.is(cut?.status, 503)
  t.like(JSON.parse(cut?.text ?? ''), { Ready: false, ReadModels: 'behind', Leader: 'unknown' })
  t.is((await two?.send('GET', '/healthz'))?.status, 200)
  two?.shared.heal()
  await cluster.settled()
})
