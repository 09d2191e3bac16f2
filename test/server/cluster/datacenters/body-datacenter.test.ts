// Requests whose body names the datacenter that executes them.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { shutOff, startDatacenters, type Datacenter } from '../../../support/datacenters.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

const hasNode = async (server: TestServer, node: string): Promise<boolean> =>
  (await server.send('GET', `/v1/catalog/node/${node}`)).text !== 'null'

const register = (server: TestServer, body: object, query = '') =>
  server.send('PUT', `/v1/catalog/register${query}`, { body: { Node: 'n', Address: '10.0.0.1', ...body } })

const coordinateOf = (Node: string, more: object) => ({
  Node,
  Coord: { Vec: [0, 0, 0, 0, 0, 0, 0, 0], Error: 1, Adjustment: 0, Height: 0.1 },
  ...more
})

const two = async (all: Awaited<ReturnType<typeof startDatacenters>>): Promise<readonly Datacenter[]> => [
  all.at('dc1'),
  all.at('dc2')
]

test('a registration, a deregistration and a coordinate go to the datacenter that the body names', async t => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'] })
  const [dc1, dc2] = await two(all)
  if (!dc1 || !dc2) return t.fail()
  for (const [from, to, field] of [
    [dc1, dc2, 'Datacenter'],
    [dc2, dc1, 'datacenter']
  ] as const) {
    const named = { [field]: to.name }
    const made = await register(from, named)
    t.is(made.status, 200, made.text)
    t.true(await hasNode(to, 'n'))
    t.false(await hasNode(from, 'n'))
    const node = JSON.parse((await to.send('GET', '/v1/catalog/node/n')).text)
    t.is(made.headers['x-service-index'], String(node.Node.ModifyIndex))
    t.is(node.Node.Datacenter, to.name)
    const updated = await from.send('PUT', '/v1/coordinate/update', { body: coordinateOf('n', named) })
    t.is(updated.status, 200, updated.text)
    all.advance(10_000)
    const coordinate = async (at: TestServer) => (await at.send('GET', '/v1/coordinate/node/n')).status
    await until('the coordinate is stored', async () => (await coordinate(to)) === 200)
    t.is(await coordinate(from), 404)
    t.is((await from.send('PUT', '/v1/catalog/deregister', { body: { Node: 'n', ...named } })).text, 'true')
    t.false(await hasNode(to, 'n'))
  }
})

test('a body that names this datacenter or none is executed here, and an unknown one is rejected', async t => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'] })
  for (const server of [...(await two(all)), await serverInProcess(t)]) {
    const { datacenter } = server.settings
    t.is((await register(server, { Datacenter: datacenter })).status, 200)
    t.is((await register(server, { Datacenter: '' })).status, 200)
    t.true(await hasNode(server, 'n'))
    for (const [path, body] of [
      ['catalog/register', { Node: 'other', Address: '10.0.0.1', Datacenter: 'dc9' }],
      ['catalog/deregister', { Node: 'n', Datacenter: 'dc9' }],
      ['coordinate/update', coordinateOf('n', { Datacenter: 'dc9' })]
    ] as const) {
      const { status, text } = await server.send('PUT', `/v1/${path}`, { body })
      t.is(status, 400)
      t.is(text, 'No path to datacenter: field "Datacenter" is "dc9"')
    }
    t.true(await hasNode(server, 'n'))
  }
})

test('the token counts where the request is executed, and an unknown one is denied on both sides', async t => {
  const acl = {
    enabled: true,
    default_policy: 'deny',
    enable_token_replication: true,
    tokens: { initial_management: ROOT }
  }
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'], of: () => ({ config: { acl } }) })
  const [dc1, dc2] = await two(all)
  if (!dc1 || !dc2) return t.fail()
  const NodeIdentities = [{ NodeName: 'n', Datacenter: 'dc2' }]
  const made = await dc2.send('PUT', '/v1/acl/token', { body: { Local: true, NodeIdentities } })
  const token = String(JSON.parse(made.text).SecretID)
  const send = (Datacenter: string, secret: string) =>
    dc1.send('PUT', '/v1/catalog/register', {
      token: secret,
      body: { Node: 'n', Address: '10.0.0.1', Datacenter }
    })
  t.is((await send('dc2', token)).status, 200)
  t.is((await send('dc1', token)).text, 'ACL not found')
  t.is((await send('dc2', randomUUID())).text, 'ACL not found')
  t.false(await hasNode(dc1, 'n'))
  const malformed = await dc1.send('PUT', '/v1/acl/policy', { token, body: '{"Name":' })
  t.is(malformed.status, 403, malformed.text)
})

test('the datacenter of the body wins over that of a parameter, and one that cannot be reached is an error', async t => {
  const all = await startDatacenters(t)
  t.is((await register(all.at('dc1'), { Datacenter: 'dc3' }, '?dc=dc2')).status, 200)
  for (const name of ['dc1', 'dc2', 'dc3']) t.is(await hasNode(all.at(name), 'n'), name === 'dc3', name)
  const unknown = await register(all.at('dc1'), { Datacenter: 'dc3' }, '?dc=dc9')
  t.is(unknown.text, 'No path to datacenter: "dc9" is not known')
  await shutOff(all.at('dc3'), all.at('dc1'))
  const gone = await register(all.at('dc1'), { Datacenter: 'dc3' })
  t.is(gone.status, 500)
  t.regex(gone.text, /^No path to datacenter: no server of "dc3" can be reached/)
})
