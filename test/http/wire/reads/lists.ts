// Every paginated list, and a server with entries for each.
import type { ExecutionContext } from 'ava'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { pem } from '../../../support/stub-provider.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy } from '../../support.js'

/** Request paths of the paginated lists by route. */
export const LISTS: Readonly<Record<string, readonly string[]>> = {
  '/v1/acl/tokens': ['/v1/acl/tokens', '/v1/acl/tokens?ns=*', '/v1/acl/tokens?policy=POLICY'],
  '/v1/acl/who': ['/v1/acl/who?resource=key&segment=k1&access=read'],
  '/v1/acl/review': ['/v1/acl/review', '/v1/acl/review?ns=*', '/v1/acl/review?ns=team'],
  '/v1/acl/policies': [
    '/v1/acl/policies',
    '/v1/acl/policies?ns=*',
    '/v1/acl/policies?filter=Name contains "2"'
  ],
  '/v1/acl/policy-proposals': ['/v1/acl/policy-proposals', '/v1/acl/policy-proposals?ns=*'],
  '/v1/acl/roles': [
    '/v1/acl/roles',
    '/v1/acl/roles?ns=*',
    '/v1/acl/roles?ns=team',
    '/v1/acl/roles?policy=POLICY'
  ],
  '/v1/acl/auth-methods': ['/v1/acl/auth-methods', '/v1/acl/auth-methods?ns=*'],
  '/v1/acl/binding-rules': [
    '/v1/acl/binding-rules',
    '/v1/acl/binding-rules?ns=*',
    '/v1/acl/binding-rules?authmethod=m1'
  ],
  '/v1/namespaces': ['/v1/namespaces'],
  '/v1/config/': ['/v1/config/', '/v1/config/?ns=*', '/v1/config/?ns=team'],
  '/v1/config/:kind': ['/v1/config/service-defaults', '/v1/config/service-defaults?ns=*'],
  '/v1/query': ['/v1/query'],
  '/v1/kv/*key': ['/v1/kv/?recurse', '/v1/kv/?recurse&ns=*', '/v1/kv/?keys&ns=*', '/v1/kv/?keys&separator=/'],
  '/v1/session/list': ['/v1/session/list', '/v1/session/list?ns=*'],
  '/v1/session/node/*node': ['/v1/session/node/n1', '/v1/session/node/n1?ns=*'],
  '/v1/connect/intentions': ['/v1/connect/intentions', '/v1/connect/intentions?ns=*'],
  '/v1/event/cursors': ['/v1/event/cursors'],
  '/v1/catalog/nodes': ['/v1/catalog/nodes', '/v1/catalog/nodes?node-meta=odd:1'],
  '/v1/catalog/services': ['/v1/catalog/services', '/v1/catalog/services?node-meta=odd:1'],
  '/v1/catalog/service/*name': ['/v1/catalog/service/web', '/v1/catalog/service/web?tag=v1'],
  '/v1/catalog/connect/*name': ['/v1/catalog/connect/web'],
  '/v1/catalog/node/*name': ['/v1/catalog/node/n1'],
  '/v1/catalog/node-services/*name': ['/v1/catalog/node-services/n1', '/v1/catalog/node-services/n1?ns=*'],
  '/v1/health/node/*name': ['/v1/health/node/n1', '/v1/health/node/n1?ns=*'],
  '/v1/health/checks/*name': ['/v1/health/checks/web'],
  '/v1/health/service/*name': ['/v1/health/service/web', '/v1/health/service/web?passing'],
  '/v1/health/connect/*name': ['/v1/health/connect/web'],
  '/v1/health/ingress/*name': ['/v1/health/ingress/web'],
  '/v1/health/state/*name': [
    '/v1/health/state/any',
    '/v1/health/state/any?ns=*',
    '/v1/health/state/critical'
  ],
  '/v1/coordinate/nodes': ['/v1/coordinate/nodes'],
  '/v1/agent/services': ['/v1/agent/services'],
  '/v1/agent/checks': ['/v1/agent/checks']
}

/** Creates a resource. @throws Error when it is refused */
export const put = async (
  server: TestServer,
  path: string,
  body: unknown = {}
): Promise<Record<string, string>> => {
  const { status, text } = await server.send(path === '/v1/query' ? 'POST' : 'PUT', path, { body })
  if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
  return text.startsWith('{') ? JSON.parse(text) : {}
}

/** Starts a server with five of everything, in two namespaces where possible, and returns the ID of a policy that others link to. */
export const filled = async (
  t: ExecutionContext
): Promise<{ readonly server: TestServer; readonly policy: string }> => {
  // The lag of cursors is reported in seconds.
  const server = await serverInProcess(t, { clock: new SetClock({ runs: false }) })
  await put(server, '/v1/namespace', { Name: 'team' })
  await put(server, '/v1/config', { Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } })
  const policy = await createPolicy(server, 'linked', 'key_prefix "" { policy = "read" }')
  const Config = { JWTValidationPubKeys: [pem('ca.pem')] }
  for (const n of [1, 2, 3, 4, 5]) {
    const Node = `n${n}`
    await put(server, '/v1/catalog/register', {
      Node,
      Address: '10.0.0.1',
      NodeMeta: { odd: String(n % 2) },
      Check: { Name: 'alive', Status: n === 3 ? 'critical' : 'passing' }
    })
    // With a key it is stored immediately.
    const located = await server.send('PUT', '/v1/coordinate/update', {
      headers: { 'x-service-idempotency-key': Node },
      body: { Node, Coord: { Vec: [n, 0, 0, 0, 0, 0, 0, 0], Error: 1, Adjustment: 0, Height: 0 } }
    })
    t.is(located.status, 200, located.text)
    await put(server, '/v1/event/cursor/c' + n, { Topics: ['KV'] })
    await put(server, '/v1/query', { Name: `q${n}`, Service: { Service: 'web' } })
    await put(server, '/v1/namespace', { Name: `space-${n}` })
    await put(server, '/v1/agent/service/register', { Name: `own${n}`, Check: { TTL: '1h' } })
    for (const ns of ['default', 'team']) {
      const at = `?ns=${ns}`
      const own = await put(server, `/v1/acl/policy${at}`, { Name: `p${n}-${ns}` })
      await put(server, `/v1/acl/policy/${own['ID']}/proposal${at}`, { Name: `p${n}-${ns}` })
      const links = [{ ID: n % 2 && ns === 'default' ? policy : own['ID'] }]
      await put(server, `/v1/acl/token${at}`, { Policies: links })
      await put(server, `/v1/acl/role${at}`, { Name: `r${n}-${ns}`, Policies: links })
      await put(server, `/v1/acl/auth-method${at}`, { Name: `m${n}`, Type: 'jwt', Config })
      await put(server, `/v1/acl/binding-rule${at}`, {
        AuthMethod: 'm1',
        BindType: 'service',
        BindName: `b${n}`
      })
      await put(server, `/v1/config${at}`, { Kind: 'service-defaults', Name: `s${n}`, Protocol: 'http' })
      await put(server, `/v1/config${at}`, {
        Kind: 'service-intentions',
        Name: `s${n}`,
        Sources: [
          { Name: 'a', Action: 'allow' },
          { Name: 'b', Action: 'deny' }
        ]
      })
      await put(server, `/v1/kv/k${n}/a b${at}`, 'x')
      await put(server, `/v1/kv/k${n}/c${at}`, 'x')
      await put(server, `/v1/session/create${at}`, { Node: 'n1', Checks: [] })
      await put(server, `/v1/session/create${at}`, { Node, Checks: [] })
      const service = (Service: string, more: object = {}): object => ({
        Node,
        Address: '10.0.0.1',
        SkipNodeUpdate: true,
        Service: {
          ID: `${Service}-${ns}-${n}`,
          Service,
          Namespace: ns,
          Port: 8080,
          Tags: [`v${n % 2}`],
          ...more
        },
        Checks: [
          {
            Name: 'up',
            CheckID: `${Service}-${ns}`,
            ServiceID: `${Service}-${ns}-${n}`,
            Status: 'passing',
            Namespace: ns
          }
        ]
      })
      await put(server, '/v1/catalog/register', service('web'))
      await put(
        server,
        '/v1/catalog/register',
        service('web-proxy', { Kind: 'connect-proxy', Proxy: { DestinationServiceName: 'web' } })
      )
      await put(server, '/v1/catalog/register', service('front', { Kind: 'ingress-gateway' }))
      await put(server, '/v1/catalog/register', { ...service('single'), Node: 'n1' })
    }
  }
  await put(server, '/v1/config', {
    Kind: 'ingress-gateway',
    Name: 'front',
    Listeners: [{ Port: 8080, Protocol: 'http', Services: [{ Name: 'web', Hosts: ['web.example'] }] }]
  })
  return { server, policy }
}
