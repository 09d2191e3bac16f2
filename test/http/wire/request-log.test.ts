// The request log.
import { once } from 'node:events'
import { connect } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { WebSocket } from 'ws'
import { LOGGER } from '../../../server/settings/ports.js'
import { createLogger } from '../../../server/telemetry/logging/logger.js'
import { send } from '../../support/client.js'
import { collector } from '../../support/collector.js'
import { startServer } from '../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'

interface RequestLine {
  readonly level: string
  readonly req: { readonly id?: string; readonly method: string; readonly url: string; readonly ip: string }
  readonly res: { readonly statusCode: number }
  readonly ms: number
  readonly msg: string
}

const linesIn = (log: string): readonly RequestLine[] =>
  log
    .split('\n')
    .filter(line => line.includes('"msg":"request'))
    .map((line): RequestLine => JSON.parse(line))

interface LoggingServer extends TestServer {
  readonly log: () => string
}

/** @param log with the settings of the request log */
const loggingServer = async (
  t: ExecutionContext,
  log: { readonly level: 'debug' | 'info'; readonly requests?: boolean }
): Promise<LoggingServer> => {
  let text = ''
  const out = { write: (line: string): void => void (text += line) }
  const server = await serverInProcess(t, {
    config: { log },
    register: scope => scope.registerInstance(LOGGER, createLogger({ log: { ...log, pretty: false } }, out))
  })
  return { ...server, log: () => text }
}

test('at level debug each request is a line with its outcome, without secrets, and a disconnected client is named', async t => {
  const server = await loggingServer(t, { level: 'debug' })
  const token = ROOT
  await server.send('PUT', '/v1/acl/token', { body: { Description: 'logged' } })
  for (const query of [`token=${token}`, `pretty&%74oken=${token}`, `%zz&TOKEN=${token}`])
    await server.send('GET', `/v1/acl/token/self?${query}`, { token: undefined })
  await server.send('GET', '/v1/nothing')
  const path = '/v1/acl/token/self'
  const wanted = [
    `PUT /v1/acl/token 200`,
    `GET ${path}?token=[redacted] 200`,
    `GET ${path}?pretty&token=[redacted] 200`,
    `GET ${path}?%zz&TOKEN=[redacted] 400`,
    `GET /v1/nothing 404`
  ]
  const logged = () => linesIn(server.log())
  await until('all requests are logged', () => logged().length >= wanted.length)
  t.deepEqual(
    logged().map(({ req, res }) => `${req.method} ${req.url} ${res.statusCode}`),
    wanted
  )
  t.true(
    logged().every(
      ({ level, msg, ms, req }) => level === 'debug' && msg === 'request' && ms > 0 && req.ip !== ''
    )
  )
  t.false(server.log().includes(token))

  const socket = connect(server.port, '127.0.0.1')
  socket.write(`GET /v1/event/stream HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${token}\r\n\r\n`)
  await once(socket, 'data')
  socket.destroy()
  const line = await until('the disconnection is logged', () =>
    linesIn(server.log()).find(({ msg }) => msg === 'request broken off')
  )
  t.is(line.req.url, '/v1/event/stream')
})

test('with log.requests each is a line at level info, a body that was asked for and a WebSocket too', async t => {
  const server = await loggingServer(t, { level: 'info', requests: true })
  const headers = { Expect: '100-continue', 'X-Service-Request-Id': 'req-1' }
  await server.send('PUT', '/v1/kv/a', { body: 'v', headers })
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/event/stream`, {
    headers: { 'X-Service-Token': ROOT }
  })
  await once(socket, 'open')
  socket.terminate()
  const logged = () => linesIn(server.log())
  await until('both are logged', () => logged().length >= 2)
  t.like(logged()[0], {
    level: 'info',
    req: { id: 'req-1', method: 'PUT', url: '/v1/kv/a', ip: '127.0.0.1' },
    res: { statusCode: 200 }
  })
  t.like(logged()[1], { level: 'info', req: { url: '/v1/event/stream' }, res: { statusCode: 101 } })
})

test('with log.ecs lines are in the form of the Elastic Common Schema, without secrets, and bear the trace', async t => {
  const { url: endpoint } = await collector(t)
  const config = { log: { requests: true, ecs: true }, tracing: { endpoint } }
  const server = await startServer(t, { config })
  const token = await server.bootstrap()
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01`, 'X-Service-Request-Id': 'req-1' }
  await send(server.base, 'GET', `/v1/acl/policies?token=${token}&pretty`, { headers })
  const lines = (): readonly string[] => server.log().trimEnd().split('\n')
  const line = await until('it is logged', () => lines().find(one => one.includes('"id":"req-1"')))
  const { span, event, ...fields } = JSON.parse(line)
  t.regex(span.id, /^[0-9a-f]{16}$/)
  t.true(Number.isInteger(event.duration) && event.duration > 0)
  t.like(event, { kind: 'event', category: ['web'], type: ['access'], outcome: 'success' })
  t.regex(fields['@timestamp'], /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  delete fields['@timestamp']
  t.deepEqual(fields, {
    'log.level': 'info',
    message: 'request',
    ecs: { version: '8.11.0' },
    service: { name: 'annals' },
    trace: { id: trace },
    http: { request: { id: 'req-1', method: 'GET' }, response: { status_code: 200 } },
    url: {
      original: '/v1/acl/policies?token=[redacted]&pretty',
      path: '/v1/acl/policies',
      query: 'token=[redacted]&pretty'
    },
    client: { ip: '127.0.0.1' }
  })
  t.true(lines().every(one => '@timestamp' in JSON.parse(one)))
  t.false(server.log().includes(token))
})
