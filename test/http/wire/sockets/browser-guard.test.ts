// Requests that web pages cause in browsers.
import { readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import test from 'ava'
import { WebSocket } from 'ws'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'

const status = async (server: TestServer, host: string): Promise<number> =>
  (await server.send('GET', '/v1/status/leader', { headers: { host } })).status

test('a server of this machine answers to its own names and to addresses', async t => {
  const server = await serverInProcess(t, {
    config: { node_name: 'Server-1', domain: 'annals.test.', alt_domain: 'alt' }
  })
  const own = ['127.0.0.1', '192.0.2.1', '[::1]', '[2001:db8::1]', 'localhost', 'LocalHost', 'localhost.']
  const names = ['a.localhost', hostname(), 'server-1', 'annals.test', 'x.node.annals.test', 'q.alt']
  for (const host of [...own, ...names, 'host.docker.internal'])
    for (const port of ['', `:${server.port}`]) t.is(await status(server, host + port), 200, host + port)
})

test('a server of this machine refuses names that a page could have bent to it', async t => {
  const server = await serverInProcess(t)
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    'evillocalhost',
    'consul.evil',
    '127.0.0.1.evil:1'
  ])
    t.is(await status(server, host), 421, host)
  const answer = await server.send('PUT', '/v1/kv/a', { headers: { host: 'evil.example:8500' }, body: 'x' })
  t.is(answer.status, 421)
  t.regex(answer.text, /"evil\.example:8500".*http\.allowed_hosts/)
  t.is((await server.send('GET', '/v1/kv/a')).status, 404)
  t.is((await server.send('GET', '/no/such/path', { headers: { host: 'evil.example' } })).status, 421)
})

test('http.allowed_hosts names further hosts, or all, and can change while the server runs', async t => {
  const config = (...allowed_hosts: string[]) => ({ config: { http: { allowed_hosts } } })
  const [named, all] = await Promise.all([
    serverInProcess(t, config('Annals.Example')),
    serverInProcess(t, config('*'))
  ])
  t.is(await status(named, 'annals.example:8500'), 200)
  t.is(await status(named, 'other.example'), 421)
  t.is(await status(all, 'other.example'), 200)
  const before = JSON.parse(readFileSync(named.file, 'utf8'))
  writeFileSync(named.file, JSON.stringify({ ...before, http: { allowed_hosts: ['other.example'] } }))
  await named.app.reload.run()
  t.is(await status(named, 'annals.example:8500'), 421)
  t.is(await status(named, 'other.example'), 200)
})

test('a server that others can reach answers to any name', async t => {
  const server = await serverInProcess(t, { config: { bind: '0.0.0.0' } })
  t.is(await status(server, 'annals.example'), 200)
})

const write = (server: TestServer, headers: Readonly<Record<string, string>>, method = 'PUT') =>
  server.send(method, '/v1/kv/a', { body: 'x', headers })

test('writes of pages of other servers are refused and change nothing', async t => {
  const server = await serverInProcess(t)
  const others = [
    'https://evil.example',
    'null',
    `http://127.0.0.1:${server.port + 1}`,
    'http://127.0.0.1',
    '%%'
  ]
  for (const origin of others)
    for (const method of ['PUT', 'DELETE']) {
      const answer = await write(server, { origin, 'content-type': 'text/plain' }, method)
      t.is(answer.status, 403, origin)
      t.regex(answer.text, /http\.allowed_origins/)
      t.is(answer.headers['access-control-allow-origin'], undefined)
    }
  t.is((await server.send('GET', '/v1/kv/a')).status, 404)
})

test('JSON that a page of another server sends as text changes nothing', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' }
  const body = { Node: 'n', Address: '192.0.2.1' }
  const sent = await server.send('PUT', '/v1/catalog/register', { token: undefined, headers, body })
  t.is(sent.status, 403)
  t.false((await server.send('GET', '/v1/catalog/nodes', { token: undefined })).text.includes('192.0.2.1'))
})

test('pages of the server itself, and clients without an Origin, can write', async t => {
  const server = await serverInProcess(t)
  t.is((await write(server, {})).status, 200)
  t.is((await write(server, { origin: server.base })).status, 200)
  const host = `annals.localhost:${server.port}`
  t.is((await write(server, { host, origin: `http://${host}` })).status, 200)
  const read = await server.send('GET', '/v1/kv/a', { headers: { origin: 'https://evil.example' } })
  t.is(read.status, 200)
  t.is(read.headers['access-control-allow-origin'], undefined)
})

test('http.allowed_origins may read, write and ask before', async t => {
  const origin = 'https://ui.example'
  const server = await serverInProcess(t, { config: { http: { allowed_origins: [origin] } } })
  const asked = await server.send('OPTIONS', '/v1/kv/a', {
    token: undefined,
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'x-service-token'
    }
  })
  t.is(asked.status, 204)
  t.is(asked.headers['access-control-allow-origin'], origin)
  t.regex(String(asked.headers['access-control-allow-methods']), /\bPUT\b/)
  t.is(asked.headers['access-control-allow-headers'], 'x-service-token')
  for (const [method, code] of [
    ['PUT', 200],
    ['GET', 200]
  ] as const) {
    const answer = await write(server, { origin }, method)
    t.is(answer.status, code)
    t.is(answer.headers['access-control-allow-origin'], origin)
    t.is(answer.headers['access-control-expose-headers'], '*')
    t.truthy(answer.headers['x-service-index'])
  }
  const other = { origin: 'https://ui.example.evil', 'access-control-request-method': 'PUT' }
  const refused = await server.send('OPTIONS', '/v1/kv/a', { headers: other })
  t.is(refused.headers['access-control-allow-origin'], undefined)
  t.is((await write(server, other)).status, 403)
})

/** Returns 101 when the WebSocket opens, or the status of its rejection. */
const open = (server: TestServer, headers: Readonly<Record<string, string>>) =>
  new Promise<number>((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/event/stream`, {
      headers: { 'x-service-token': ROOT, ...headers }
    })
    socket.on('error', reject)
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.on('open', () => {
      socket.terminate()
      resolve(101)
    })
  })

test('WebSockets of pages of other servers are refused', async t => {
  const origin = 'https://ui.example'
  const server = await serverInProcess(t, { config: { http: { allowed_origins: [origin] } } })
  t.is(await open(server, {}), 101)
  t.is(await open(server, { origin: server.base }), 101)
  t.is(await open(server, { origin }), 101)
  t.is(await open(server, { origin: 'https://evil.example' }), 403)
  t.is(await open(server, { host: 'evil.example', origin: 'http://evil.example' }), 421)
})
