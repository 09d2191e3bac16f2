import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { temporaryFolder } from '../../../support/process.js'
import { until } from '../../../support/wait.js'
import { secretWith } from '../../support.js'

interface Shown {
  readonly Status: string
  readonly Output: string
}

const checkOf = async (server: TestServer, id: string): Promise<Shown | undefined> => {
  const { text } = await server.send('GET', '/v1/agent/checks')
  const checks: Readonly<Record<string, Shown>> = JSON.parse(text)
  return checks[id]
}

const register = async (t: ExecutionContext, server: TestServer, body: object): Promise<void> => {
  const { status, text } = await server.send('PUT', '/v1/agent/check/register', { body })
  t.is(status, 200, text)
}

const becomes = (server: TestServer, id: string, status: string): Promise<unknown> =>
  until(`${id} is ${status}`, async () => (await checkOf(server, id))?.Status === status)

/** A service to be asked, whose answer can be changed. */
const target = async (t: ExecutionContext) => {
  const answer = { status: 200, seen: '', text: 'how it is' }
  const http = createServer((request, response) => {
    answer.seen = `${request.method} ${String(request.headers['x-key'])}`
    response.writeHead(answer.status).end(answer.text)
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    http.closeAllConnections()
    http.close()
  })
  const { port }: AddressInfo = JSON.parse(JSON.stringify(http.address()))
  return { answer, port }
}

test('a TTL check without an update in time turns critical, and keeps its last output', async t => {
  const server = await serverInProcess(t, { clock: new SetClock({ runs: false }) })
  await register(t, server, { Name: 'ttl', TTL: '30s' })
  await server.send('PUT', '/v1/agent/check/pass/ttl?note=fine')
  server.advance(20_000)
  await server.send('PUT', '/v1/agent/check/pass/ttl?note=fine')
  server.advance(20_000)
  t.is((await checkOf(server, 'ttl'))?.Status, 'passing')
  server.advance(20_000)
  await becomes(server, 'ttl', 'critical')
  t.is((await checkOf(server, 'ttl'))?.Output, 'TTL expired (last output before timeout follows): fine')
})

test('an HTTP check asks and follows the status of the answer', async t => {
  const server = await serverInProcess(t)
  const { answer, port } = await target(t)
  await register(t, server, {
    Name: 'http',
    HTTP: `http://127.0.0.1:${port}/health`,
    Method: 'POST',
    Header: { 'X-Key': ['k'] },
    Interval: '1s',
    Timeout: '2s'
  })
  await becomes(server, 'http', 'passing')
  t.is(answer.seen, 'POST k')
  t.regex((await checkOf(server, 'http'))?.Output ?? '', /200 Output: how it is$/)
  answer.status = 429
  await becomes(server, 'http', 'warning')
  answer.status = 500
  await becomes(server, 'http', 'critical')
})

test('an HTTP check with a method that no request can have is critical', async t => {
  const server = await serverInProcess(t)
  const { answer, port } = await target(t)
  const check = { HTTP: `http://127.0.0.1:${port}/`, Interval: '1s', Status: 'passing' }
  await register(t, server, { ...check, Name: 'odd', Method: 'PO ST' })
  await becomes(server, 'odd', 'critical')
  t.is((await checkOf(server, 'odd'))?.Output, 'invalid request method')
  await register(t, server, { ...check, Name: 'trace', Method: 'trace', Status: 'critical' })
  await becomes(server, 'trace', 'passing')
  t.regex(answer.seen, /^TRACE /)
})

test('a TCP check passes on an open port and is critical on a closed one', async t => {
  const server = await serverInProcess(t)
  const { port } = await target(t)
  await register(t, server, { Name: 'open', TCP: `127.0.0.1:${port}`, Interval: '10s' })
  await register(t, server, { Name: 'closed', TCP: '127.0.0.1:1', Interval: '10s', Status: 'passing' })
  await becomes(server, 'open', 'passing')
  await becomes(server, 'closed', 'critical')
})

test('checks run on after a restart', async t => {
  const dataDir = temporaryFolder(t)
  const { answer, port } = await target(t)
  const first = await serverInProcess(t, { dataDir })
  await register(t, first, { Name: 'http', HTTP: `http://127.0.0.1:${port}/`, Interval: '1s' })
  await becomes(first, 'http', 'passing')
  await first.close()
  answer.status = 503
  await becomes(await serverInProcess(t, { dataDir }), 'http', 'critical')
})

test('a service that stays critical too long is removed', async t => {
  const server = await serverInProcess(t)
  const body = { Name: 'web', Check: { TTL: '1h', DeregisterCriticalServiceAfter: '2m' } }
  t.is((await server.send('PUT', '/v1/agent/service/register', { body })).status, 200)
  server.advance(90_000)
  t.is((await server.send('GET', '/v1/agent/service/web')).status, 200)
  server.advance(60_000)
  await until(
    'the service is gone',
    async () => (await server.send('GET', '/v1/agent/service/web')).status === 404
  )
})

test('a removed check stops running', async t => {
  const server = await serverInProcess(t)
  const { answer, port } = await target(t)
  await register(t, server, { Name: 'http', HTTP: `http://127.0.0.1:${port}/`, Interval: '1s' })
  await becomes(server, 'http', 'passing')
  t.is((await server.send('PUT', '/v1/agent/check/deregister/http')).status, 200)
  answer.seen = ''
  t.is(await checkOf(server, 'http'), undefined)
  t.is((await server.send('PUT', '/v1/agent/check/pass/http')).status, 404)
})

test('the health of a service is a status code: passing, warning, critical, in maintenance, unknown', async t => {
  const server = await serverInProcess(t)
  const body = { Name: 'web', Check: { TTL: '1h', Status: 'passing' } }
  await server.send('PUT', '/v1/agent/service/register', { body })
  const health = async (): Promise<string> => {
    const { status, text } = await server.send('GET', '/v1/agent/health/service/id/web?format=text')
    return `${status} ${text}`
  }
  t.is(await health(), '200 passing')
  await server.send('PUT', '/v1/agent/check/warn/service:web')
  t.is(await health(), '429 warning')
  await server.send('PUT', '/v1/agent/check/fail/service:web')
  t.is(await health(), '503 critical')
  await server.send('PUT', '/v1/agent/service/maintenance/web?enable=true')
  t.is(await health(), '503 maintenance')
  const other = await server.send('GET', '/v1/agent/health/service/name/other')
  t.is(other.status, 404)
  t.is(other.text, '[]')
})

test('a read of a service with its hash waits until the service differs', async t => {
  const server = await serverInProcess(t)
  const body = { Name: 'web', Port: 1 }
  await server.send('PUT', '/v1/agent/service/register', { body })
  const first = await server.send('GET', '/v1/agent/service/web')
  const hash = first.headers['x-service-contenthash']
  const waiting = server.send('GET', `/v1/agent/service/web?hash=${String(hash)}&wait=60s`)
  await until('the read waits', () => server.app.views.watch.size > 0)
  await server.send('PUT', '/v1/agent/service/register', { body: { ...body, Port: 2 } })
  t.true((await waiting).text.includes('"Port":2'))
})

test('a check of the agent shows no definition, as clients know it, and runs by its own', async t => {
  const server = await serverInProcess(t)
  const { port } = await target(t)
  const body = { Name: 'http', HTTP: `http://127.0.0.1:${port}`, Interval: '10s', Timeout: '1500ms' }
  await register(t, server, body)
  const shown = { Type: 'http', Interval: '10s', Timeout: '1.5s', Definition: {} }
  t.like(await checkOf(server, 'http'), shown)
  const { text } = await server.send('GET', '/v1/health/node/server-1')
  const all: readonly (Shown & { readonly CheckID: string })[] = JSON.parse(text)
  t.like(
    all.find(({ CheckID }) => CheckID === 'http'),
    shown
  )
  await becomes(server, 'http', 'passing')
})

test('any time that a duration can say is a time for a check', async t => {
  const server = await serverInProcess(t)
  const { port } = await target(t)
  const TCP = '127.0.0.1:1'
  for (const Timeout of ['1ns', '1.5us', '1500001ns', '1.5s', '600h', '2000000h', 1.5])
    await register(t, server, { Name: `t${Timeout}`, TCP, Interval: '1s', Timeout, Status: 'passing' })
  await becomes(server, 't1.5s', 'critical')
  await becomes(server, 't600h', 'critical')
  await becomes(server, 't2000000h', 'critical')
  await becomes(server, 't1ns', 'critical')
  const HTTP = `http://127.0.0.1:${port}/`
  await register(t, server, { Name: 'late', HTTP, Interval: '600h', Timeout: '600h' })
  await becomes(server, 'late', 'passing')
})

test('what an asked server answered is shown up to 4 kB, and only to who may read the node', async t => {
  const server = await serverInProcess(t)
  const { answer, port } = await target(t)
  answer.text = `secret ${'ä'.repeat(5000)}`
  const Check = { HTTP: `http://127.0.0.1:${port}/`, Interval: '1s', CheckID: 'http' }
  t.is((await server.send('PUT', '/v1/agent/service/register', { body: { Name: 'web', Check } })).status, 200)
  await becomes(server, 'http', 'passing')
  const output = (await checkOf(server, 'http'))?.Output ?? ''
  t.regex(output, /200 Output: secret ä+$/)
  t.true(Buffer.byteLength(output) > 4090 && Buffer.byteLength(output) <= 4096)

  const ofService = await secretWith(server, 'service', 'service "web" { policy = "read" }')
  const both = 'service "web" { policy = "read" } node "server-1" { policy = "read" }'
  const ofNode = await secretWith(server, 'both', both)
  const texts = async (token: string): Promise<readonly string[]> =>
    Promise.all(
      [
        '/v1/agent/checks',
        '/v1/agent/checks?filter=Output+contains+"secret"',
        '/v1/agent/health/service/id/web',
        '/v1/agent/health/service/name/web',
        '/v1/health/checks/web',
        '/v1/health/service/web'
      ].map(async path => (await server.send('GET', path, { token })).text)
    )
  for (const text of await texts(ofNode)) t.true(text.includes(output))
  const seen = await texts(ofService)
  for (const text of seen) t.false(text.includes('Output: '))
  t.deepEqual(JSON.parse(seen[1] ?? ''), {})
  t.true(seen[0]?.includes('"Status":"passing"'))
})

test('a status is rejected for a check that the server runs itself, which stays as it is', async t => {
  const server = await serverInProcess(t)
  await register(t, server, { Name: 'http', HTTP: 'http://127.0.0.1:1/', Interval: '1h' })
  await register(t, server, { Name: 'tcp', TCP: '127.0.0.1:1', Interval: '1h' })
  await register(t, server, { Name: 'grpc', GRPC: '127.0.0.1:1', Interval: '1h' })
  await server.send('PUT', '/v1/agent/service/register', { body: { Name: 'web' } })
  for (const id of ['http', 'tcp', 'grpc'])
    await until(`${id} was asked`, async () => (await checkOf(server, id))?.Output !== '')
  await server.send('PUT', '/v1/agent/maintenance?enable=true')
  await register(t, server, { Name: 'alias', AliasService: 'web' })
  await until('alias has an output', async () => (await checkOf(server, 'alias'))?.Output !== '')
  const { text: before } = await server.send('GET', '/v1/agent/checks')
  const reader = await secretWith(server, 'reader', 'node_prefix "" { policy = "read" }')
  for (const id of ['http', 'tcp', 'grpc', 'alias', '_node_maintenance']) {
    for (const word of ['pass', 'warn', 'fail', 'update']) {
      const path = `/v1/agent/check/${word}/${id}`
      const sending = word === 'update' ? { body: { Status: 'passing', Output: 'fine' } } : {}
      const { status, text } = await server.send('PUT', path, sending)
      t.deepEqual([status, text], [400, `CheckID "${id}" does not have associated TTL`])
      t.is((await server.send('PUT', path, { ...sending, token: reader })).status, 403)
    }
  }
  t.is((await server.send('GET', '/v1/agent/checks')).text, before)
})

test('the health of a service of the agent lists its checks without type and definition', async t => {
  const server = await serverInProcess(t)
  const Header = { Authorization: ['Bearer s3cret'] }
  const http = { CheckID: 'http', HTTP: 'http://127.0.0.1:1/', Interval: '1h', Header }
  const Checks = [{ CheckID: 'ttl', TTL: '1h', Status: 'passing' }, http]
  await server.send('PUT', '/v1/agent/service/register', { body: { Name: 'web', Tags: ['v1'], Checks } })
  const body = { Name: 'db', Check: { TTL: '1h', Status: 'passing', Notes: 'n' } }
  await server.send('PUT', '/v1/agent/service/register', { body })
  const shown = (fields: string) =>
    `{"Node":"server-1","CheckID":"service:db","Name":"Service 'db' check","Status":"passing","Notes":"n",` +
    `"Output":"","ServiceID":"db","ServiceName":"db","ServiceTags":null,"Type":"",${fields}`
  const definition =
    '"Definition":{"Interval":"0s","Timeout":"0s","DeregisterCriticalServiceAfter":"0s","HTTP":"","Header":null,' +
    '"Method":"","Body":"","TLSServerName":"","TLSSkipVerify":false,"TCP":"","GRPC":"","GRPCUseTLS":false}'
  const expected = `"Checks":[${shown(`${definition},"CreateIndex":0,"ModifyIndex":0}`)}]`
  for (const by of ['id', 'name']) {
    const { status, text } = await server.send('GET', `/v1/agent/health/service/${by}/db`)
    t.is(status, 200)
    t.true(text.includes(expected), text)
  }
  const { text } = await server.send('GET', '/v1/agent/health/service/id/web')
  t.is(text.split(`"ServiceTags":["v1"],"Type":"",${definition}`).length, 3)
  t.like(await checkOf(server, 'ttl'), { Type: 'ttl', Interval: '0s', Definition: {} })
})
