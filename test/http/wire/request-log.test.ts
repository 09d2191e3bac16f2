// What the log says of requests.
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'ava'
import { send } from '../../support/client.js'
import { startServer } from '../../support/process.js'
import { until } from '../../support/wait.js'

interface RequestLine {
  readonly level: string
  readonly req: { readonly method: string; readonly url: string; readonly ip: string }
  readonly res: { readonly statusCode: number }
  readonly ms: number
  readonly msg: string
}

const linesIn = (log: string): readonly RequestLine[] =>
  log
    .split('\n')
    .filter(line => line.includes('"msg":"request'))
    .map((line): RequestLine => JSON.parse(line))

test('at level debug each request is a line with its outcome, and no secret', async t => {
  const server = await startServer(t, { config: { log: { level: 'debug' } } })
  const token = await server.bootstrap()
  await send(server.base, 'PUT', '/v1/acl/token', { token, body: { Description: 'logged' } })
  for (const query of [`token=${token}`, `pretty&%74oken=${token}`, `%zz&TOKEN=${token}`])
    await send(server.base, 'GET', `/v1/acl/token/self?${query}`)
  await send(server.base, 'GET', '/v1/nothing')
  const path = '/v1/acl/token/self'
  const wanted = [
    `PUT /v1/acl/bootstrap 200`,
    `PUT /v1/acl/token 200`,
    `GET ${path}?token=[redacted] 200`,
    `GET ${path}?pretty&token=[redacted] 200`,
    `GET ${path}?%zz&TOKEN=[redacted] 400`,
    `GET /v1/nothing 404`
  ]
  const told = () => linesIn(server.log()).filter(({ req }) => req.url !== '/v1/status/leader')
  await until('all requests are logged', () => told().length >= wanted.length)
  t.deepEqual(
    told().map(({ req, res }) => `${req.method} ${req.url} ${res.statusCode}`),
    wanted
  )
  t.true(
    told().every(
      ({ level, msg, ms, req }) => level === 'debug' && msg === 'request' && ms > 0 && req.ip !== ''
    )
  )
  t.false(server.log().includes(token))
})

test('a request whose client goes away is a line that says so', async t => {
  const server = await startServer(t, { config: { log: { level: 'debug' } }, acl: 'off' })
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET /v1/event/stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
  socket.destroy()
  const line = await until('it is logged', () =>
    linesIn(server.log()).find(({ msg }) => msg === 'request broken off')
  )
  t.is(line.req.url, '/v1/event/stream')
})

test('above level debug no request is logged', async t => {
  const server = await startServer(t)
  await server.bootstrap()
  await server.stop()
  t.deepEqual(linesIn(server.log()), [])
})
