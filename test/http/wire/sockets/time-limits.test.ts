import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { WebSocket } from 'ws'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { Wire } from '../../../support/raw-connection.js'

/** Long enough for a request of these tests on a busy machine: the time is that of Node, which no test advances. */
const LIMIT_MS = 1500

const quickServer = (t: ExecutionContext) =>
  serverInProcess(t, { config: { limits: { request_timeout: `${LIMIT_MS}ms` } } })

const LEADER = 'GET /v1/status/leader'
const ANSWER = /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n".*"\n?/
const REFUSAL = /^HTTP\/1\.1 408 [\s\S]*limits\.request_timeout\)/

/** Waits until everything that began before is out of its time: a connection that is opened now is refused. */
const outlast = async (t: ExecutionContext, server: TestServer): Promise<void> => {
  const silent = await Wire.open(t, server)
  await silent.read(REFUSAL)
}

test('what does not arrive in time is 408: a first head, one in small pieces or after an answer, and a body', async t => {
  const server = await quickServer(t)
  const { headers } = await server.send('GET', '/v1/kv/a')
  const open = () => Wire.open(t, server)
  const nothing = async (): Promise<void> => {
    const wire = await open()
    await wire.read(REFUSAL)
    await wire.closed()
  }
  const pieces = async (): Promise<void> => {
    const wire = await open()
    wire.request(LEADER, [])
    await wire.read(ANSWER)
    wire.send(`${LEADER} HTTP/1.1\r\nX-Long: `)
    const drops = setInterval(() => wire.send('x'), LIMIT_MS / 10)
    await wire.read(REFUSAL)
    clearInterval(drops)
  }
  const afterWait = async (): Promise<void> => {
    const wire = await open()
    wire.request(`GET /v1/kv/a?wait=${2 * LIMIT_MS}ms&index=${String(headers['x-service-index'])}`, [])
    // The wait does not count as arrival time of the request.
    await wire.read(/^HTTP\/1\.1 404 [\s\S]*not exist/)
    wire.send(`${LEADER} HTTP/1.1\r\nHo`)
    await wire.read(REFUSAL)
  }
  const body = async (): Promise<void> => {
    const wire = await open()
    wire.request('PUT /v1/kv/a', ['Content-Length: 10'], 'hello')
    await wire.read(REFUSAL)
  }
  await t.notThrowsAsync(Promise.all([nothing(), pieces(), afterWait(), body()]))
})

test('a connection may be idle for longer, whatever was answered on it, and a WebSocket is no request', async t => {
  const server = await quickServer(t)
  const [plain, lateBody, pipelined] = [
    await Wire.open(t, server),
    await Wire.open(t, server),
    await Wire.open(t, server)
  ]
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/event/stream`, {
    headers: { 'X-Service-Token': ROOT }
  })
  t.teardown(() => socket.terminate())
  plain.request(LEADER, [])
  lateBody.request(LEADER, ['Content-Length: 10'], 'hello')
  pipelined.request('PUT /v1/kv/a', ['Content-Length: 1'], '1')
  pipelined.request(LEADER, [])
  await once(socket, 'open')
  await plain.read(ANSWER)
  await lateBody.read(ANSWER)
  lateBody.send('world')
  await pipelined.read(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\ntrue\n?/)
  await pipelined.read(ANSWER)
  for (let i = 0; i < 2; i++) {
    await outlast(t, server)
    for (const wire of [plain, lateBody, pipelined]) {
      wire.request(LEADER, [])
      await wire.read(ANSWER)
    }
  }
  await server.send('PUT', '/v1/kv/a', { body: 'x' })
  await once(socket, 'message')
  t.is(socket.readyState, WebSocket.OPEN)
})

test('times of 0 s are no limits', async t => {
  const server = await serverInProcess(t, {
    config: { limits: { request_timeout: '0s', keep_alive_timeout: '0s' } }
  })
  const wire = await Wire.open(t, server)
  await outlast(t, await quickServer(t))
  wire.request(LEADER, [])
  t.notRegex(await wire.read(ANSWER), /Keep-Alive:/)
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
