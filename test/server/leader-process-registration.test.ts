// The leader processes of a real server that leads, steps down, and leads again.
import test from 'ava'
import { SetClock } from '../../library/testing/set-clock.js'
import { LeaderProcesses } from '../../actors/processes/leader-processes.js'
import { serverInProcess, type TestServer } from '../support/server.js'
import { until } from '../support/wait.js'
import { waitForDelivery, inTime, withHook, write } from '../http/webhooks/support.js'
import { createToken } from '../http/support.js'

const processesOf = ({ scope }: TestServer): LeaderProcesses => scope.resolve(LeaderProcesses)

const again = async (server: TestServer): Promise<void> => {
  processesOf(server).end()
  await processesOf(server).begin()
}

test('the TTL of a session starts again with a new leader, and the session ends once', async t => {
  const server = await serverInProcess(t, { clock: new SetClock({ runs: false }) })
  const made = await server.send('PUT', '/v1/session/create', { body: { TTL: '10s' } })
  const { ID }: { ID: string } = JSON.parse(made.text)
  const read = async (): Promise<string> => (await server.send('GET', `/v1/session/info/${ID}`)).text
  server.advance(15_000)
  processesOf(server).end()
  server.advance(60_000)
  t.not(await read(), '[]')
  await processesOf(server).begin()
  server.advance(15_000)
  t.not(await read(), '[]')
  server.advance(6000)
  await until('it has ended', async () => (await read()) === '[]')
})

test('a token that expires without a leader is removed by the next leader', async t => {
  const server = await serverInProcess(t)
  const { AccessorID } = await createToken(server, { ExpirationTTL: '60s' })
  const { tokens } = server.app.views
  processesOf(server).end()
  server.advance(300_000)
  t.truthy(tokens.get(AccessorID))
  await processesOf(server).begin()
  await until('it is removed', () => {
    server.advance(1000)
    return tokens.get(AccessorID) === undefined
  })
})

test('a namespace that is marked without a leader is emptied by the next leader', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  await server.send('PUT', '/v1/kv/a?ns=team', { body: 'value' })
  processesOf(server).end()
  t.is((await server.send('DELETE', '/v1/namespace/team')).status, 200)
  t.is((await server.send('GET', '/v1/namespace/team')).status, 200)
  await processesOf(server).begin()
  await until('it is gone', async () => (await server.send('GET', '/v1/namespace/team')).status === 404)
})

test('the leader registers its own node again after its removal', async t => {
  const server = await serverInProcess(t)
  await again(server)
  t.is((await server.send('PUT', '/v1/catalog/deregister', { body: { Node: 'server-1' } })).status, 200)
  await until('it is there', async () => {
    server.advance(1)
    return (await server.send('GET', '/v1/catalog/node/server-1')).text.includes('"Node":"server-1"')
  })
})

test('coordinates, cursors and webhooks keep working, and nothing is sent without a leader', async t => {
  const { server, hook, secret } = await withHook(t)
  const [first = 0] = await write(server, 'load/a')
  await until('it has arrived', () => waitForDelivery(hook, secret).includes(first))
  processesOf(server).end()
  const [second = 0] = await write(server, 'load/b')
  await inTime(server, 'it has come to rest', () => server.app.committer.isDurable())
  t.false(waitForDelivery(hook, secret).includes(second))
  await processesOf(server).begin()
  await until('it has arrived', () => waitForDelivery(hook, secret).includes(second))

  const coordinate = { Vec: [0, 0, 0, 0, 0, 0, 0, 0], Error: 1, Adjustment: 0, Height: 0 }
  const body = { Node: 'server-1', Segment: '', Coord: coordinate }
  t.is((await server.send('PUT', '/v1/coordinate/update', { body })).status, 200)
  await until('it is committed', async () => {
    server.advance(5000)
    return (await server.send('GET', '/v1/coordinate/nodes')).text.includes('server-1')
  })
})

test('what is seeded is not made twice', async t => {
  const server = await serverInProcess(t)
  const { index } = server.app.views
  await again(server)
  await again(server)
  t.is(server.app.views.index, index)
})
