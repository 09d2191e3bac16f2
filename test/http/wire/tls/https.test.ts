import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'ava'
import { WebSocket } from 'ws'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { pem } from '../../../support/stub-provider.js'
import { until } from '../../../support/wait.js'
import { connected, SERVER_FILES, tlsFile, tlsServer } from './support.js'

test('HTTP is served with TLS beside HTTP without, and the same', async t => {
  const server = await tlsServer(t)
  t.is(await server.ask('/v1/kv/a', { method: 'PUT' }, 'x'), 200)
  t.is(await server.ask('/v1/kv/a'), 200)
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, 'x')
  t.is(await server.ask('/v1/kv/a', { headers: { 'x-service-token': 'none' } }), 403)
  t.is(await server.ask('/nothing'), 404)
  t.is(await server.ask('/v1/kv/a', { servername: 'localhost', headers: { host: 'evil.example' } }), 421)
  t.is(await server.ask('/v1/kv/a', { method: 'PUT', headers: { origin: 'https://evil.example' } }, 'y'), 403)
})

test('HTTP without TLS can be off', async t => {
  const server = await tlsServer(t, SERVER_FILES, { ports: { http: -1, https: 0, dns: -1 } })
  t.is(server.port, 0)
  t.is(await server.ask('/v1/status/leader'), 200)
})

test('clients must know who signed the certificate, and speak TLS 1.2 at least', async t => {
  const [server, strict] = await Promise.all([
    tlsServer(t),
    tlsServer(t, { ...SERVER_FILES, min_version: '1.3' })
  ])
  t.is(await server.ask('/v1/status/leader', { ca: pem('other-ca.pem') }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  t.is(await server.ask('/v1/status/leader', { maxVersion: 'TLSv1.2' }), 200)
  t.is(typeof (await strict.ask('/v1/status/leader', { maxVersion: 'TLSv1.2' })), 'string')
  t.is(await strict.ask('/v1/status/leader'), 200)
  // This level allows ciphers of old versions, and the client offers only TLS 1.1.
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  t.is(typeof (await server.ask('/v1/status/leader', old)), 'string')
})

test('TLS 1.2 is spoken with forward-secret AEAD suites only', async t => {
  const server = await tlsServer(t)
  const ask = (ciphers: string) => server.ask('/v1/status/leader', { maxVersion: 'TLSv1.2', ciphers })
  for (const cipher of [
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305'
  ])
    t.is(await ask(cipher), 200, cipher)
  for (const cipher of [
    'AES128-GCM-SHA256',
    'AES256-SHA',
    'ECDHE-ECDSA-AES128-SHA256',
    'ECDHE-ECDSA-AES256-SHA384'
  ])
    t.is(typeof (await ask(cipher)), 'string', cipher)
})

test('with verify_incoming only clients with a certificate come in', async t => {
  const server = await tlsServer(t, {
    ...SERVER_FILES,
    ca_file: tlsFile('ca.pem'),
    verify_incoming: true
  })
  const identity = { cert: pem('server.pem'), key: pem('server-key.pem') }
  t.is(typeof (await server.ask('/v1/status/leader')), 'string')
  t.is(await server.ask('/v1/status/leader', identity), 200)
})

test('a WebSocket opens over TLS, and a wish for another protocol is passed over', async t => {
  const server = await tlsServer(t)
  const socket = new WebSocket(`wss://127.0.0.1:${server.httpsPort}/v1/event/stream?topic=KV&index=1`, {
    ca: pem('ca.pem'),
    headers: { 'x-service-token': ROOT }
  })
  t.teardown(() => socket.terminate())
  const lines: string[] = []
  socket.on('message', (data: Buffer) => lines.push(data.toString()))
  await server.ask('/v1/kv/seen', { method: 'PUT' }, 'x')
  await until('the event', () => lines.some(line => line.includes('seen')))
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AA' }
  t.is(await server.ask('/v1/status/leader', { headers }), 200)
})

test('the limits of HTTP hold with TLS', async t => {
  const server = await tlsServer(t, SERVER_FILES, {
    limits: { http_header_bytes: 2048, http_body_bytes: 1024 }
  })
  t.is(await server.ask('/v1/status/leader', { headers: { 'x-long': 'x'.repeat(4000) } }), 431)
  t.is(await server.ask('/v1/acl/token', { method: 'PUT' }, 'x'.repeat(2000)), 413)
})

test('with TLS too, a body that is too large is rejected immediately', async t => {
  const server = await tlsServer(t, SERVER_FILES, { limits: { kv_max_value_size: 1024 } })
  const socket = await connected(server.httpsPort)
  let text = ''
  socket.on('data', data => (text += data.toString()))
  const head = [
    'PUT /v1/kv/a HTTP/1.1',
    'Host: localhost',
    `X-Service-Token: ${ROOT}`,
    'Expect: 100-continue'
  ]
  socket.write(`${head.join('\r\n')}\r\nContent-Length: 1025\r\n\r\n`)
  await once(socket, 'close')
  t.regex(text, /^HTTP\/1\.1 413 [^]*kv_max_value_size\)$/)
})

test('a connection over the limit is closed before its handshake, and others continue', async t => {
  const server = await tlsServer(t, SERVER_FILES, { limits: { http_max_conns: 1 } })
  const first = await connected(server.httpsPort)
  t.teardown(() => first.destroy())
  first.write(`GET /v1/status/leader HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await once(first, 'data')
  // A connection over the limit is closed before its handshake without a response, which could not be read.
  await t.throwsAsync(connected(server.httpsPort))
  first.write(`GET /v1/status/leader HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  t.regex(String((await once(first, 'data'))[0]), /^HTTP\/1\.1 200 /)
})

test('a request over TLS that does not arrive is refused with a text', async t => {
  const server = await tlsServer(t, SERVER_FILES, { limits: { request_timeout: '1s' } })
  const slow = async (): Promise<string> => {
    const socket = await connected(server.httpsPort)
    let text = ''
    socket.on('data', data => (text += data.toString()))
    const closed = new Promise(resolve => socket.once('close', resolve))
    socket.write('GET /v1/status/leader HTTP/1.1\r\n')
    await closed
    return text
  }
  // On a busy machine the connection may be reset before the response was read.
  await until('the refusal', async () =>
    /^HTTP\/1\.1 408 [^]*limits\.request_timeout/.test(await slow().catch(() => ''))
  )
  t.pass()
})

test('requests that came at once are answered in their order', async t => {
  const server = await tlsServer(t)
  const socket = await connected(server.httpsPort)
  let text = ''
  socket.on('data', data => (text += data.toString()))
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${ROOT}\r\n\r\n`
  socket.write(get('/v1/kv/none') + get('/v1/status/leader'))
  await until('both answers', () => text.split('HTTP/1.1 ').length === 3)
  t.regex(text, /^HTTP\/1\.1 404[^]*HTTP\/1\.1 200/)
  socket.destroy()
})

test('a connection without TLS is closed without a response, and affects no other', async t => {
  const server = await tlsServer(t)
  const socket = connect(server.httpsPort, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', data => chunks.push(Buffer.from(data)))
  socket.on('error', () => {})
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await closed
  t.false(Buffer.concat(chunks).toString('latin1').includes('HTTP/1.1'))
  t.is(await server.ask('/v1/status/leader'), 200)
})

test('a server ends while connections are idle, and while handshakes hang', async t => {
  const server = await tlsServer(t)
  const idle = await connected(server.httpsPort)
  idle.on('error', () => {})
  const hanging = connect(server.httpsPort, '127.0.0.1')
  hanging.on('error', () => {})
  await new Promise(resolve => hanging.once('connect', resolve))
  t.is(await server.ask('/v1/status/leader'), 200)
  const closed = Promise.all([idle, hanging].map(one => new Promise(resolve => one.once('close', resolve))))
  await server.close()
  await closed
  t.pass()
})

test('unusable certificates are rejected at the start, with the key and the reason', async t => {
  const start = (http: object) =>
    t.throwsAsync(serverInProcess(t, { config: { ports: { http: 0, https: 0, dns: -1 }, tls: { http } } }), {
      name: 'SettingsError'
    })
  t.regex(
    (await start({ ...SERVER_FILES, cert_file: '/nowhere.pem' }))?.message ?? '',
    /tls\.http\.cert_file.*ENOENT/
  )
  const other = { ...SERVER_FILES, cert_file: tlsFile('other-ca.pem') }
  t.regex(
    (await start(other))?.message ?? '',
    /tls\.http\.cert_file and tls\.http\.key_file must belong together/
  )
  const noCertificate = { ...SERVER_FILES, cert_file: SERVER_FILES.key_file }
  t.regex((await start(noCertificate))?.message ?? '', /tls\.http\.cert_file must name a PEM file/)
})
