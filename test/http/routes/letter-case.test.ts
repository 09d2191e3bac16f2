// Names that are found in any letter case, while the labels of rules are exact (spec: config.md §1.1, state.md §3.6).
import test, { type ExecutionContext } from 'ava'
import { serverInProcess } from '../../support/server.js'

const RULES = `
  service_prefix "" { policy = "write" intentions = "write" }
  service "web" { policy = "deny" intentions = "deny" }
  service "edge" { policy = "deny" }
  node_prefix "" { policy = "write" }
  node "db" { policy = "deny" }
  session_prefix "" { policy = "write" }
  session "db" { policy = "deny" }`

const COORDINATE = { Vec: [0, 0, 0, 0, 0, 0, 0, 0], Error: 1, Adjustment: 0, Height: 0 }

/** Starts a server with a node `db` and entries of service `web`, and returns a sender with a token of `RULES`. */
const sender = async (t: ExecutionContext) => {
  const server = await serverInProcess(t)
  const written = async (path: string, body: object): Promise<string> => {
    const { status, text } = await server.send('PUT', path, { body })
    t.is(status, 200, `${path}: ${text}`)
    return text
  }
  await written('/v1/catalog/register', { Node: 'db', Address: '10.0.0.1' })
  // A check keeps the spelling of its own registration.
  const check = { Node: 'DB', CheckID: 'disk', Name: 'disk', Status: 'passing' }
  await written('/v1/catalog/register', { Node: 'db', Address: '10.0.0.1', Check: check })
  await written('/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
  await written('/v1/config', { Kind: 'ingress-gateway', Name: 'edge', Listeners: [] })
  await written('/v1/agent/service/register', { Name: 'web' })
  const Sources = [{ Name: 'api', Action: 'deny' }]
  await written('/v1/config', { Kind: 'service-intentions', Name: 'web', Sources })
  const { ID }: { readonly ID: string } = JSON.parse(
    await written('/v1/acl/policy', { Name: 'limited', Rules: RULES })
  )
  const { SecretID: token }: { readonly SecretID: string } = JSON.parse(
    await written('/v1/acl/token', { Policies: [{ ID }] })
  )
  return async (method: string, path: string, body?: object): Promise<number> =>
    (await server.send(method, path, { token, ...(body ? { body } : {}) })).status
}

test('another letter case of a node evades no rule on the node', async t => {
  const send = await sender(t)
  const transact = (operation: object): Promise<number> => send('PUT', '/v1/txn', [operation])
  const Node = { Node: 'DB', Address: '10.0.0.9' }
  for (const Verb of ['set', 'delete']) t.is(await transact({ Node: { Verb, Node } }), 409, Verb)
  const Check = { Node: 'DB', CheckID: 'cpu', Name: 'cpu', Status: 'critical' }
  t.is(await transact({ Check: { Verb: 'set', Check } }), 409)
  t.is(await send('PUT', '/v1/catalog/register', Node), 403)
  t.is(await send('PUT', '/v1/catalog/register', { Node: 'DB', SkipNodeUpdate: true, Check }), 403)
  t.is(await send('PUT', '/v1/catalog/deregister', { Node: 'DB' }), 403)
  t.is(await send('PUT', '/v1/catalog/deregister', { Node: 'DB', CheckID: 'disk' }), 403)
  t.is(await transact({ Check: { Verb: 'delete', Check: { Node: 'DB', CheckID: 'disk' } } }), 409)
  t.is(await send('PUT', '/v1/coordinate/update', { Node: 'DB', Coord: COORDINATE }), 403)
  t.is(await send('GET', '/v1/coordinate/node/DB'), 403)
  t.is(await send('PUT', '/v1/session/create', { Node: 'DB', NodeChecks: [] }), 403)
  t.is(await send('PUT', '/v1/agent/check/register', { Name: 'alias', AliasNode: 'DB' }), 403)
  t.is(await send('PUT', '/v1/catalog/register', { Node: 'DB2', Address: '10.0.0.2' }), 200)
})

test('another letter case of a configuration entry evades no rule on its service', async t => {
  const send = await sender(t)
  const entry = { Kind: 'service-defaults', Name: 'WEB', Protocol: 'tcp' }
  t.is(await send('PUT', '/v1/config', entry), 403)
  t.is(await send('PUT', '/v1/config?dry-run', entry), 403)
  t.is(await send('GET', '/v1/config/service-defaults/WEB'), 403)
  t.is(await send('DELETE', '/v1/config/service-defaults/WEB'), 403)
  t.is(await send('GET', '/v1/discovery-chain/WEB'), 403)
  t.is(await send('GET', '/v1/catalog/gateway-services/EDGE'), 403)
  t.is(await send('GET', '/v1/agent/health/service/name/WEB'), 404)
  const ConfigEntry = { Kind: 'service-defaults', Name: 'WEB' }
  const operations = [{ ConfigEntry: { Verb: 'delete', ConfigEntry } }]
  t.is(await send('PUT', '/v1/txn', operations), 409)
  t.is(await send('PUT', '/v1/config', { ...entry, Name: 'WEB2' }), 200)
})

test('another letter case of an intention evades no rule on its services', async t => {
  const send = await sender(t)
  const exact = '/v1/connect/intentions/exact?destination=WEB&source='
  t.is(await send('PUT', `${exact}api`, { Action: 'allow' }), 403)
  t.is(await send('DELETE', `${exact}api`), 403)
  t.is(await send('GET', '/v1/connect/intentions/match?by=destination&name=WEB'), 403)
  t.is(await send('GET', '/v1/connect/intentions/check?source=api&destination=WEB'), 403)
  t.is(await send('GET', '/v1/config/service-intentions/WEB'), 403)
  t.is(await send('DELETE', '/v1/config/service-intentions/WEB'), 403)
  t.is(await send('GET', '/v1/connect/intentions/match?by=source&name=api'), 200)
})

test('a namespace in a body counts in any letter case', async t => {
  const server = await serverInProcess(t)
  const written = async (path: string, body: object): Promise<void> => {
    const { status, text } = await server.send('PUT', path, { body })
    t.is(status, 200, `${path}: ${text}`)
  }
  await written('/v1/namespace', { Name: 'team' })
  const Check = { CheckID: 'up', Name: 'up', ServiceID: 'web', Status: 'passing' }
  await written('/v1/catalog/register?ns=team', {
    Node: 'n',
    Address: '10.0.0.1',
    Service: { Service: 'web' },
    Check
  })
  const ServiceChecks = [{ ID: 'up', Namespace: 'TEAM' }]
  await written('/v1/session/create', { Node: 'n', NodeChecks: [], ServiceChecks })
  const source = { SourceNS: 'TEAM', SourceName: 'a', DestinationNS: 'Team', DestinationName: 'b' }
  await written('/v1/connect/intentions/exact?source=TEAM/a&destination=TEAM/b', {
    ...source,
    Action: 'allow'
  })
  const Redirect = { Service: 'web', Namespace: 'Team' }
  await written('/v1/config', { Kind: 'service-resolver', Name: 'old', Redirect })
  const { text } = await server.send('GET', '/v1/discovery-chain/old')
  const { Chain }: { readonly Chain: { readonly StartNode: string } } = JSON.parse(text)
  t.is(Chain.StartNode, 'resolver:web.team.dc1')
})
