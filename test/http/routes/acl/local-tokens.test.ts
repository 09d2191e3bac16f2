// Logins in a secondary datacenter (spec: auth.md §11.3).
import test from 'ava'
import { ROOT, serverInProcess } from '../../../support/server.js'

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
    config: { datacenter: 'dc2', primary_datacenter: 'dc1' },
    adjust: settings => ({
      ...settings,
      datacenters: { dc1: { url: 'http://127.0.0.1:1', token: 'replication' } }
    })
  })
  t.is((await server.send('GET', '/v1/acl/auth-methods')).status, 200)
  const body = { Name: 'm', Type: 'jwt', TokenLocality: 'global', Config: {} }
  const answer = await server.send('PUT', '/v1/acl/auth-method', { body })
  t.is(answer.status, 400)
  t.regex(answer.text, /'global' can only be used in the primary datacenter/)
})
