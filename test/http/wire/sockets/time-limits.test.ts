import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { WebSocket } from 'ws'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { Wire } from '../../../support/raw-connection.js'

const LIMIT_MS = 500

const quickServer = (t: ExecutionContext) =>
  serverInProcess(t, { config: { limits: { request_timeout: `${LIMIT_MS}ms` } } })

const LEADER = 'GET /v1/status/leader'
const ANSWER = /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n".*"\n?/
const REFUSAL = /^HTTP\/1\.1 408 [\s\S]*limits\.request_timeout\)/

/** Waits until whatever had begun is no longer within its time: a connection that is opened now is refused. */
const outlast = async (t: ExecutionContext, server: TestServer): Promise<void> => {
  const silent = await Wire.open(t, server)
  await silent.read(REFUSAL)
}

test('a connection on which nothing comes is 408', async t => {
  const wire = await Wire.open(t, await quickServer(t))
  await wire.read(REFUSAL)
  await wire.closed()
  t.pass()
})

test('so is a head that comes in small pieces, after a request that was answered', async t => {
  const wire = await Wire.open(t, await quickServer(t))
  wire.request(LEADER, [])
  await wire.read(ANSWER)
  wire.send(`${LEADER} HTTP/1.1\r\nX-Long: `)
  const drops = setInterval(() => wire.send('x'), LIMIT_MS / 10)
  await wire.read(REFUSAL)
  clearInterval(drops)
  t.pass()
})

test('so is a head that stops, after a request that waited', async t => {
  const server = await quickServer(t)
  const { headers } = await server.send('GET', '/v1/kv/a')
  const wire = await Wire.open(t, server)
  wire.request(`GET /v1/kv/a?wait=${2 * LIMIT_MS}ms&index=${String(headers['x-service-index'])}`, [])
  // The wait does not count as arrival time of the request.
  await wire.read(/^HTTP\/1\.1 404 [\s\S]*not exist/)
  wire.send(`${LEADER} HTTP/1.1\r\nHo`)
  await wire.read(REFUSAL)
  t.pass()
})

test('so is a body that stops', async t => {
  const wire = await Wire.open(t, await quickServer(t))
  wire.request('PUT /v1/kv/a', ['Content-Length: 10'], 'hello')
  await wire.read(REFUSAL)
  t.pass()
})

test('a connection may be idle for longer, once its request is answered', async t => {
  const server = await quickServer(t)
  const wire = await Wire.open(t, server)
  for (let i = 0; i < 3; i++) {
    wire.request(LEADER, [])
    await wire.read(ANSWER)
    await outlast(t, server)
  }
  t.pass()
})

test('also when the body of the request came after the answer', async t => {
  const server = await quickServer(t)
  const wire = await Wire.open(t, server)
  wire.request(LEADER, ['Content-Length: 10'], 'hello')
  await wire.read(ANSWER)
  wire.send('world')
  await outlast(t, server)
  wire.request(LEADER, [])
  await wire.read(ANSWER)
  t.pass()
})

test('also when another request came before the answer of the first', async t => {
  const server = await quickServer(t)
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/kv/a', ['Content-Length: 1'], '1')
  wire.request(LEADER, [])
  await wire.read(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\ntrue\n?/)
  await wire.read(ANSWER)
  await outlast(t, server)
  wire.request(LEADER, [])
  await wire.read(ANSWER)
  t.pass()
})

test('times of 0 s are no limits', async t => {
  const server = await serverInProcess(t, {
    config: { limits: { request_timeout: '0s', keep_alive_timeout: '0s' } }
  })
  const limited = await quickServer(t)
  const wire = await Wire.open(t, server)
  await outlast(t, limited)
  wire.request(LEADER, [])
  t.notRegex(await wire.read(ANSWER), /Keep-Alive:/)
  await outlast(t, limited)
  wire.request(LEADER, [])
  await wire.read(ANSWER)
})

test('a WebSocket is no request that takes too long', async t => {
  const server = await quickServer(t)
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/event/stream`, {
    headers: { 'X-Service-Token': ROOT }
  })
  t.teardown(() => socket.terminate())
  await once(socket, 'open')
  await outlast(t, server)
  await server.send('PUT', '/v1/kv/a', { body: 'x' })
  await once(socket, 'message')
  t.is(socket.readyState, WebSocket.OPEN)
})

test('the end of the server waits for requests that arrive, and not for idle connections', async t => {
  const server = await serverInProcess(t)
  const [silent, idle, arriving] = [
    await Wire.open(t, server),
    await Wire.open(t, server),
    await Wire.open(t, server)
  ]
  idle.request(LEADER, [])
  await idle.read(ANSWER)
  arriving.request(LEADER, [])
  await arriving.read(ANSWER)
  arriving.send(`${LEADER} HTTP/1.1\r\n`)
  await server.send('GET', '/v1/status/leader')
  const closed = server.close()
  await silent.closed()
  await idle.closed()
  arriving.send('Host: localhost\r\n\r\n')
  t.regex(await arriving.read(ANSWER), /Connection: close/)
  await closed
})

test('the end of the server does not wait for further requests after a response that was being sent', async t => {
  const server = await serverInProcess(t, { config: { limits: { keep_alive_timeout: '1h' } } })
  for (let i = 0; i < 20; i++)
    await server.send('PUT', `/v1/kv/large/${i}`, { body: randomBytes(250_000).toString('hex') })
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const request = get(`${server.base}/v1/snapshot`, { agent, headers: { 'X-Service-Token': ROOT } })
  const [response]: readonly IncomingMessage[] = await once(request, 'response')
  const closed = server.close()
  response?.resume()
  await closed
  t.is(response?.statusCode, 200)
})

test('the end of the server waits for the rest of a refused body, and not for further requests', async t => {
  const server = await serverInProcess(t, { config: { limits: { keep_alive_timeout: '1h' } } })
  const wire = await Wire.open(t, server)
  const half = 'x'.repeat(300_000)
  wire.request('PUT /v1/kv/a', [`Content-Length: ${2 * half.length}`], half)
  t.regex(await wire.read(/^HTTP\/1\.1 413 .*\r\n/), /413/)
  const closed = server.close()
  wire.send(half)
  await closed
})
