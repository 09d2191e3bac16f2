// Requests to another datacenter by its name.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { Refusal } from '../../../../actors/refusal.js'
import {
  DatacenterRequests,
  type DatacenterResponse,
  type OutgoingDatacenterRequest
} from '../../../../server/cluster/datacenters/datacenter-requests.js'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { RemoteJsonRequests } from '../../../../server/cluster/datacenters/remote-json-requests.js'
import { startDatacenters } from '../../../support/datacenters.js'
import { freePort } from '../../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { SERVER_FILES, tlsFile } from '../../../http/wire/tls/support.js'

const TOKEN = ['X-Service-Token', ROOT]
const neverAborted = new AbortController().signal

const get = (url: string): OutgoingDatacenterRequest => ({ method: 'GET', url, headers: TOKEN, isLong: true })
const put = (url: string, body: string): OutgoingDatacenterRequest => ({
  method: 'PUT',
  url,
  headers: TOKEN,
  body: Buffer.from(body),
  isLong: false
})

const requestsOf = ({ scope }: TestServer): DatacenterRequests => scope.resolve(DatacenterRequests)

const ask = (
  server: TestServer,
  name: string,
  asked: OutgoingDatacenterRequest
): Promise<DatacenterResponse> => requestsOf(server).send(name, asked, neverAborted)

const textOf = async (answering: Promise<DatacenterResponse>): Promise<string> =>
  text((await answering).answer)

const refusedAs = async (t: ExecutionContext, kind: Refusal['kind'], asking: Promise<unknown>) => {
  const error = await t.throwsAsync(asking, { instanceOf: Refusal })
  t.is(error?.kind, kind)
  return error?.message ?? ''
}

const knowing = (t: ExecutionContext, dc2: object): Promise<TestServer> =>
  serverInProcess(t, { config: { datacenters: { dc2 } } })

test('a datacenter answers what it is asked by its name, and each knows who asks', async t => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'] })
  await all.at('dc2').send('PUT', '/v1/kv/where', { body: 'in dc2' })
  t.is(await textOf(ask(all.at('dc1'), 'dc2', get('/v1/kv/where?raw'))), 'in dc2')
  t.is(await textOf(ask(all.at('dc2'), 'dc1', put('/v1/kv/back', 'x'))), 'true')
  t.is((await all.at('dc1').send('GET', '/v1/kv/back?raw')).text, 'x')
  t.false(requestsOf(all.at('dc1')).knows('dc1'))
  t.true(requestsOf(all.at('dc1')).knows('dc2'))
  t.regex(
    await refusedAs(t, 'invalid', ask(all.at('dc1'), 'DC2', get('/v1/kv/where'))),
    /^No path to datacenter: "DC2"/
  )
})

test('its servers are tried in turn, the one that answered last first', async t => {
  const there = await serverInProcess(t, { config: { datacenter: 'dc2' } })
  const dead = `http://127.0.0.1:${await freePort()}`
  const server = await knowing(t, { url: dead, urls: [there.base] })
  t.is((await ask(server, 'dc2', get('/v1/status/leader'))).answer.statusCode, 200)
  const [remote] = requestsOf(server).remotes
  t.deepEqual(remote?.addresses, [there.base, dead])
  t.is(await textOf(ask(server, 'dc2', put('/v1/kv/a', '1'))), 'true')
})

test('a request to an unreachable datacenter changes nothing and fails within two seconds', async t => {
  const refused = await knowing(t, { urls: [`http://127.0.0.1:${await freePort()}`] })
  t.regex(
    await refusedAs(t, 'unreachable', ask(refused, 'dc2', put('/v1/kv/a', '1'))),
    /^No path to datacenter: no server of "dc2" can be reached, and nothing was changed there$/
  )
  // Takes no connection: TLS never begins.
  const silent = createServer()
  const greeted = once(silent, 'connection')
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const server = await knowing(t, { urls: [`https://127.0.0.1:${port}`] })
  const asking = ask(server, 'dc2', get('/v1/kv/a'))
  await greeted
  server.advance(2000)
  await refusedAs(t, 'unreachable', asking)
})

test('a write whose connection breaks off is not repeated, a read is', async t => {
  const asked: string[] = []
  const broken = createServer((request: IncomingMessage) => {
    // The server itself asks how far it is.
    if (request.method === 'PUT') asked.push(`PUT ${String(request.headers['x-annals-datacenter'])}`)
    request.socket.destroy()
  })
  broken.listen(0, '127.0.0.1')
  await once(broken, 'listening')
  t.teardown(() => void broken.close())
  const address = broken.address()
  const first = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const there = await serverInProcess(t, { config: { datacenter: 'dc2' } })
  const server = await knowing(t, { urls: [first, there.base] })
  await until('the server has asked how far it is', async () =>
    /annals_datacenter_round_trip_seconds\{datacenter="dc2"\}/.test(await server.app.metrics.prometheus())
  )
  for (const remote of requestsOf(server).remotes) remote.prefer(first)
  t.regex(
    await refusedAs(t, 'unknown', ask(server, 'dc2', put('/v1/kv/a', '1'))),
    /^The outcome is not known: the connection to datacenter "dc2" was lost/
  )
  t.deepEqual(asked, ['PUT dc1'])
  t.is((await there.send('GET', '/v1/kv/a')).status, 404)
  t.is(await textOf(ask(server, 'dc2', { ...put('/v1/kv/a', '1'), mayRepeat: true })), 'true')
  t.deepEqual(asked, ['PUT dc1', 'PUT dc1'])
})

test('what changes nothing there is a read, also by POST: none of it is of unknown outcome', async t => {
  let posts = 0
  const broken = createServer((request: IncomingMessage) => {
    if (request.method === 'POST') posts++
    request.socket.destroy()
  })
  broken.listen(0, '127.0.0.1')
  await once(broken, 'listening')
  t.teardown(() => void broken.close())
  const address = broken.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  // Both attempts fit into the time of an answer on a busy machine.
  const clock = new SetClock({ runs: false })
  const server = await serverInProcess(t, { clock, config: { datacenters: { dc2: { url } } } })
  const asking = server.scope.resolve(RemoteJsonRequests).ask('dc2', { url: '/v1/internal/query', body: {} })
  t.regex(await refusedAs(t, 'unreachable', asking), /^No path to datacenter/)
  t.is(posts, 2)
  t.notRegex(
    await server.app.metrics.prometheus(),
    /annals_datacenter_requests_total\{outcome="unknown"\} [1-9]/
  )
})

test('who goes away gives up what was asked', async t => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'] })
  const gone = new AbortController()
  const { 'x-service-index': index } = (await all.at('dc2').send('GET', '/v1/catalog/nodes')).headers
  const waiting = get(`/v1/catalog/nodes?index=${String(index)}&wait=10m`)
  const asking = requestsOf(all.at('dc1')).send('dc2', waiting, gone.signal)
  const { watch } = all.at('dc2').app.views
  await until('it waits there', () => watch.size > 0)
  gone.abort()
  await refusedAs(t, 'unavailable', asking)
  await until('no request waits there', () => watch.size === 0)
})

test('each datacenter is asked by TLS as its entry says', async t => {
  const there = await serverInProcess(t, {
    config: {
      datacenter: 'dc2',
      ports: { http: 0, https: 0, dns: -1 },
      tls: { http: { ...SERVER_FILES, ca_file: tlsFile('ca.pem'), verify_incoming: true } }
    }
  })
  const url = `https://127.0.0.1:${there.httpsPort}`
  const trusting = { url, ca_file: tlsFile('ca.pem'), server_name: 'localhost' }
  const shown = await knowing(t, { ...trusting, ...SERVER_FILES })
  t.is(await textOf(ask(shown, 'dc2', put('/v1/kv/a', '1'))), 'true')
  for (const refused of [
    trusting,
    { url, ...SERVER_FILES },
    { ...trusting, ...SERVER_FILES, server_name: 'elsewhere.example' },
    { ...trusting, ...SERVER_FILES, ca_file: tlsFile('other-ca.pem') }
  ]) {
    const asking = ask(await knowing(t, refused), 'dc2', get('/v1/status/leader'))
    await refusedAs(t, 'unreachable', asking)
  }
})
