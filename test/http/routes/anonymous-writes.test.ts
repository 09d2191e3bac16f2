// Without a token and under default deny, no request is a commit.
import test from 'ava'
import { registerClusterRoutes } from '../../../server/cluster/members/register-cluster.js'
import { ROUTES } from '../../../http/wire/route.js'
import { serverInProcess } from '../../support/server.js'
import { call } from '../tenancy/support.js'

const UUID = '5ec51e41-9583-2bf5-eed4-3bfcbffede4f'

/** Requests that need no token because they prove their caller otherwise. */
const OPEN = /^\/v1\/acl\/(?:bootstrap|login|oidc\/)/

const INTENTION = { SourceName: 'a', DestinationName: 'b', Action: 'allow' }
const NODE = { Node: 'n', Address: '10.0.0.1' }

/** Bodies that an authorized caller could send, by the beginning of the path. */
const BODIES: readonly (readonly [string, unknown])[] = [
  ['/v1/acl/auth-method', { Name: 'm', Type: 'jwt' }],
  ['/v1/acl/binding-rule', { AuthMethod: 'm', BindType: 'service', BindName: 'web' }],
  ['/v1/acl/policy', { Name: 'p', Rules: '' }],
  ['/v1/acl/role', { Name: 'r' }],
  ['/v1/agent/check/register', { Name: 'c', TTL: '10s' }],
  ['/v1/agent/service/register', { Name: 'web' }],
  ['/v1/catalog/', NODE],
  ['/v1/config', { Kind: 'service-defaults', Name: 'web' }],
  ['/v1/connect/intentions', INTENTION],
  ['/v1/coordinate/update', { Node: 'n', Coord: { Vec: [0, 0, 0, 0, 0, 0, 0, 0] } }],
  ['/v1/event/cursor', { Topics: ['any'] }],
  ['/v1/event/erase', { Topic: 'KV', Prefix: '', Scope: 'history', Reason: 'test' }],
  ['/v1/kv/', 'value'],
  ['/v1/namespace', { Name: 'team' }],
  ['/v1/partition', { Name: 'part' }],
  ['/v1/query', { Name: 'q', Service: { Service: 'web' } }],
  ['/v1/session/create', { Node: 'server-1' }],
  ['/v1/txn', [{ KV: { Verb: 'set', Key: 'a', Value: 'eA==' } }]]
]

const QUERIES: Readonly<Record<string, string>> = {
  '/v1/connect/intentions/exact': '?source=a&destination=b',
  '/v1/event/revert': '?topic=KV&key=a&to=1',
  '/v1/event/stream': '?topic=any&cursor=missing',
  '/v1/agent/maintenance': '?enable=true',
  '/v1/agent/service/maintenance/*id': '?enable=true'
}

test('under default deny no request without a token changes the last index', async t => {
  const server = await serverInProcess(t, { register: registerClusterRoutes })
  await call(server, 'PUT', '/v1/catalog/register', { ...NODE, Service: { Service: 'web' } })
  const { SecretID } = await call(server, 'PUT', '/v1/acl/token', {})
  await call(server, 'PUT', '/v1/kv/a', 'value')
  const routes = server.scope.resolve(ROUTES).filter(({ path }) => !OPEN.test(path))
  t.true(routes.length > 150, `${routes.length} routes`)
  const { index } = server.app.views
  const known = BODIES.toReversed()
  for (const { method, path, aliases = [] } of routes)
    for (const [i, each] of [path, ...aliases].entries()) {
      const asked = each.replace(':kind', 'service-defaults').replaceAll(/[:*]\w+/g, UUID)
      const [, body] = known.find(([start]) => path.startsWith(start)) ?? ['', {}]
      const url = `${asked}${QUERIES[path] ?? ''}`
      const headers = {
        'X-Service-Idempotency-Key': `key-${i}-of-${path.replaceAll(/[^a-z]/g, '-')}`.padEnd(40, '-')
      }
      for (const sending of [{}, { body }, { body, headers }]) {
        const { status, text } = await server.send(method, url, {
          token: undefined,
          ...(method === 'GET' ? {} : sending)
        })
        t.not(status, 500, `${method} ${url} ${text}`)
        t.is(server.app.views.index, index, `${method} ${url} ${JSON.stringify(body)}: ${status} ${text}`)
        if (method === 'GET') break
      }
    }
  // The walk itself would write.
  t.is((await server.send('PUT', '/v1/kv/b', { body: 'value' })).status, 200)
  t.is(server.app.views.index, index + 1)
  t.is((await server.send('GET', '/v1/kv/b', { token: SecretID })).status, 403)
})
