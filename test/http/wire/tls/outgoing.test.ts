// Outgoing TLS connections: trusted authorities and client certificates.
import { createServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { writeFileSync, readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { pem, stubProvider } from '../../../support/stub-provider.js'
import { until } from '../../../support/wait.js'
import { SERVER_FILES, tlsFile } from './support.js'

/** A server with a certificate of `ca.pem`, which returns the client's identity. */
const target = async (t: ExecutionContext): Promise<number> => {
  const options = { key: pem('server-key.pem'), cert: pem('server.pem'), ca: pem('ca.pem') }
  const server = createServer(
    { ...options, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { authorized } = request.socket as TLSSocket
      response.end(authorized ? 'known' : 'unknown')
    }
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return address === null || typeof address === 'string' ? 0 : address.port
}

const output = async (server: TestServer): Promise<string> => {
  const { text } = await server.send('GET', '/v1/agent/checks')
  return JSON.parse(text).c?.Output ?? ''
}

const check = async (server: TestServer, port: number): Promise<void> => {
  const body = { Name: 'c', HTTP: `https://127.0.0.1:${port}/`, Interval: '1s' }
  await server.send('PUT', '/v1/agent/check/register', { body })
}

test('checks believe the configured CA, and show the configured certificate', async t => {
  const port = await target(t)
  const outgoing = { ca_file: tlsFile('ca.pem') }
  const [doubting, believing, showing] = await Promise.all([
    serverInProcess(t),
    serverInProcess(t, { config: { tls: { outgoing } } }),
    serverInProcess(t, { config: { tls: { outgoing: { ...outgoing, ...SERVER_FILES } } } })
  ])
  for (const server of [doubting, believing, showing]) await check(server, port)
  await until('a doubt', async () => (await output(doubting)) !== '')
  t.regex(await output(doubting), /certificate/)
  await until('an answer', async () => (await output(believing)).endsWith('Output: unknown'))
  await until('an answer to who is known', async () => (await output(showing)).endsWith('Output: known'))
})

test('auth methods without a CA of their own believe the configured one, from a reload on', async t => {
  const [server, provider] = await Promise.all([serverInProcess(t), stubProvider(t, { tls: true })])
  const put = async (Config: object): Promise<number> => {
    const body = { Name: 'm', Type: 'jwt', MaxTokenTTL: '1h', Config }
    return (await server.send('PUT', '/v1/acl/auth-method', { body })).status
  }
  const JWKSURL = `${provider.issuer}/jwks`
  t.is(await put({ JWKSURL }), 400)
  const before = JSON.parse(readFileSync(server.file, 'utf8'))
  writeFileSync(server.file, JSON.stringify({ ...before, tls: { outgoing: { ca_file: tlsFile('ca.pem') } } }))
  await server.app.reload.run()
  t.is(await put({ JWKSURL }), 200)
  t.is(await put({ JWKSURL, JWKSCACert: pem('other-ca.pem') }), 400)
  t.is(await put({ JWKSURL, JWKSCACert: pem('ca.pem') }), 200)
})

test('webhooks believe the configured CA, and show the configured certificate', async t => {
  const port = await target(t)
  const outgoing = { ca_file: tlsFile('ca.pem'), ...SERVER_FILES }
  const allow = { outgoing: { allow: ['127.0.0.1'] } }
  const [doubting, believing] = await Promise.all([
    serverInProcess(t, { config: allow }),
    serverInProcess(t, { config: { ...allow, tls: { outgoing } } })
  ])
  const deliveryOf = async (server: TestServer) =>
    JSON.parse((await server.send('GET', '/v1/event/cursor/c')).text).Delivery
  for (const server of [doubting, believing]) {
    const body = { Topics: ['KV'], URL: `https://127.0.0.1:${port}/` }
    t.is((await server.send('PUT', '/v1/event/cursor/c', { body })).status, 200)
    await server.send('PUT', '/v1/kv/a', { body: 'v' })
  }
  const doubt = await until('a doubt', async () => (await deliveryOf(doubting)).LastError)
  t.regex(doubt, /certificate/)
  await until('a delivery', async () => (await deliveryOf(believing)).LastDeliveredAt)
})
