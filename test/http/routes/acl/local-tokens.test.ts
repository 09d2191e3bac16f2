// Logins in a secondary datacenter (spec: auth.md §11.3).
import test from 'ava'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { createToken } from '../../support.js'

const requests = [
  ['GET', '/v1/acl/auth-methods'],
  ['GET', '/v1/acl/binding-rules'],
  ['POST', '/v1/acl/login', { AuthMethod: 'm', BearerToken: 'a.b.c' }],
  ['POST', '/v1/acl/logout'],
  ['POST', '/v1/acl/oidc/auth-url', { AuthMethod: 'm' }],
  ['POST', '/v1/acl/oidc/callback', { AuthMethod: 'm' }]
] as const

test('a secondary datacenter without token replication has no logins, and says why', async t => {
  const server = await serverInProcess(t, { config: { datacenter: 'dc2', primary_datacenter: 'dc1' } })
  for (const [method, path, body] of requests) {
    const answer = await server.send(method, path, { token: ROOT, ...(body ? { body } : {}) })
    t.is(answer.status, 400, path)
    t.regex(answer.text, /Token replication is required for auth methods to function/)
  }
})

test('with a token for the primary it has methods of its own, but no global ones', async t => {
  const server = await serverInProcess(t, {
    config: {
      datacenter: 'dc2',
      primary_datacenter: 'dc1',
      datacenters: { dc1: { url: 'http://127.0.0.1:1', token: 'replication' } }
    }
  })
  t.is((await server.send('GET', '/v1/acl/auth-methods')).status, 200)
  const body = { Name: 'm', Type: 'jwt', TokenLocality: 'global', Config: {} }
  const answer = await server.send('PUT', '/v1/acl/auth-method', { body })
  t.is(answer.status, 400)
  t.regex(answer.text, /'global' can only be used in the primary datacenter/)
})

test('without token replication there are no local tokens', async t => {
  const server = await serverInProcess(t, { config: { datacenter: 'dc2', primary_datacenter: 'dc1' } })
  const answer = await server.send('PUT', '/v1/acl/token', { body: { Local: true } })
  t.is(answer.status, 400)
  t.regex(answer.text, /^Local tokens are disabled/)
})

test('bootstrap is for the primary datacenter', async t => {
  const config = { datacenter: 'dc2', primary_datacenter: 'dc1', acl: { enabled: true } }
  const server = await serverInProcess(t, { config })
  const answer = await server.send('PUT', '/v1/acl/bootstrap', { token: undefined })
  t.is(answer.status, 401)
  t.regex(answer.text, /^ACL support disabled: bootstrap is for the primary datacenter "dc1"/)
})

test('a secondary datacenter ends its local tokens when they expire, and leaves the global ones to the primary', async t => {
  const acl = {
    enabled: true,
    default_policy: 'deny',
    tokens: { initial_management: ROOT },
    enable_token_replication: true
  }
  const server = await serverInProcess(t, { config: { datacenter: 'dc2', primary_datacenter: 'dc1', acl } })
  const local = await createToken(server, { Local: true, ExpirationTTL: '10m' })
  const global = await createToken(server, { ExpirationTTL: '10m' })
  server.advance(11 * 60_000)
  await until('the local token is gone', () => server.app.views.tokens.get(local.AccessorID) === undefined)
  t.truthy(server.app.views.tokens.get(global.AccessorID))
  t.is((await server.send('GET', '/v1/acl/token/self', { token: global.SecretID })).status, 403)
})
