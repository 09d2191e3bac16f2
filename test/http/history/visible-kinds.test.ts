// Lists of an earlier index that are not read because their caller can read nothing of them.
import test from 'ava'
import { LABELLED, UNLABELLED } from '../../../projections/acl/rules/model.js'
import { serverInProcess } from '../../support/server.js'
import { secretWith } from '../support.js'
import { call, tenant } from '../tenancy/support.js'

const LISTS = [
  '/v1/kv/?recurse',
  '/v1/kv/?keys',
  '/v1/kv/?recurse&ns=*',
  '/v1/acl/policies',
  '/v1/acl/roles',
  '/v1/namespaces',
  '/v1/partitions',
  '/v1/config',
  '/v1/config/service-defaults',
  '/v1/config/proxy-defaults',
  '/v1/connect/intentions',
  '/v1/connect/intentions/match?by=destination&name=web',
  '/v1/query',
  '/v1/session/list',
  '/v1/session/list?ns=*',
  '/v1/session/node/n1',
  '/v1/catalog/nodes',
  '/v1/catalog/services',
  '/v1/catalog/services?ns=team-a',
  '/v1/catalog/service/web',
  '/v1/catalog/node-services/n1',
  '/v1/catalog/gateway-services/gateway',
  '/v1/health/service/web',
  '/v1/health/ingress/web',
  '/v1/health/node/n1',
  '/v1/health/state/any',
  '/v1/discovery-chain/web',
  '/v1/coordinate/nodes'
]

/** Each grants one permission. */
const RULES: Readonly<Record<string, string>> = {
  nothing: '',
  ...Object.fromEntries(UNLABELLED.map(name => [name, `${name} = "read"`])),
  ...Object.fromEntries(LABELLED.map(name => [name, `${name}_prefix "" { policy = "read" }`])),
  aclWrite: 'acl = "write"',
  listed: 'key_prefix "" { policy = "list" }',
  oneKey: 'key "a" { policy = "read" }',
  intentions: 'service_prefix "" { policy = "deny" intentions = "read" }',
  anyNamespace:
    'namespace_prefix "" { key_prefix "" { policy = "read" } session_prefix "" { policy = "read" } }'
}

test('with any one permission a list of the newest index is the list of now', async t => {
  const server = await serverInProcess(t)
  const put = (path: string, body: unknown): Promise<unknown> => call(server, 'PUT', path, body)
  await put('/v1/namespace', { Name: 'team-a' })
  for (const place of ['', '?ns=team-a']) await put(`/v1/kv/a${place}`, 'value')
  for (const Namespace of ['default', 'team-a'])
    await put('/v1/catalog/register', {
      Node: 'n1',
      Address: '10.0.0.1',
      Service: { ID: `web-${Namespace}`, Service: 'web', Namespace },
      Check: { Name: 'up', ServiceID: `web-${Namespace}`, Namespace }
    })
  const { ID: Session } = await call(server, 'PUT', '/v1/session/create', { Node: 'n1', Checks: [] })
  await put('/v1/query', { Name: 'q', Service: { Service: 'web' } })
  await put('/v1/query', { Session, Service: { Service: 'web' } })
  await put('/v1/config', { Kind: 'proxy-defaults', Name: 'global' })
  await put('/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
  await put('/v1/config', {
    Kind: 'ingress-gateway',
    Name: 'gateway',
    Listeners: [{ Port: 80, Protocol: 'http', Services: [{ Name: 'web' }] }]
  })
  await put('/v1/connect/intentions/exact?source=a&destination=web', { Action: 'allow' })
  const secrets: [string, string | undefined][] = [['anonymous', undefined]]
  for (const [name, rules] of Object.entries(RULES))
    secrets.push([name, await secretWith(server, name, rules)])
  secrets.push(['in team-a', await tenant(server, 'team-a', 'service_prefix "" { policy = "read" }')])
  const { index } = server.app.views
  let shown = 0
  for (const [name, token] of secrets)
    for (const path of LISTS) {
      const now = await server.send('GET', path, { token })
      const past = await server.send('GET', `${path}${path.includes('?') ? '&' : '?'}at=${index}`, { token })
      t.is(past.status, now.status, `${name} ${path} ${past.text}`)
      if (now.status === 200) t.deepEqual(JSON.parse(past.text), JSON.parse(now.text), `${name} ${path}`)
      if (!['[]', '{}', 'null'].includes(now.text)) shown++
    }
  t.true(shown > 100, `${shown} lists showed something`)
})
